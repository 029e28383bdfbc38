"""What runs beside brokers, of their own release: takes modules of Apache Kafka, gives a class path, fetched once.

The jars lie beside those of the releases (`fleet_demo.artifacts`), which has the broker's, the tools' and the logging
back end already.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fleet_demo.artifacts import (
    MARKER,
    SHORT_LIVED,
    ArtifactError,
    default_root,
    fetch_reason,
    is_complete,
    java_program,
    kafka_jars,
    locked,
    retrieve,
)

CONNECT = ("connect-runtime", "connect-file", "connect-json", "connect-transforms")
STREAMS = ("kafka-streams",)
COMPILER = ("org.eclipse.jdt", "ecj", "3.33.0")  # runs on Java 17 without a JDK


def class_path(release: str, modules: Sequence[str]) -> str:
    """Modules of org.apache.kafka with what they need, behind the release's own jars. Raises ArtifactError."""
    kafka = kafka_jars(release)
    wanted = [("org.apache.kafka", one, release) for one in modules]
    return f"{kafka}/*:{_jars(f'{modules[0]}-{release}', wanted)}/*"


def compiled(source: Path, path: str, classes: Path) -> str:
    """A class path on which a Java source is compiled, into a folder. Raises ArtifactError with its faults."""
    compiler = _jars("compiler", [COMPILER])
    jars = [str(jar) for place in path.split(":") for jar in Path(place).parent.glob("*.jar")]
    command = [java_program(), *SHORT_LIVED, "-cp", f"{compiler}/*", "org.eclipse.jdt.internal.compiler.batch.Main"]
    command += ["-17", "-nowarn", "-cp", ":".join(jars), "-d", str(classes), str(source)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if run.returncode != 0:
        raise ArtifactError(f"{source.name} does not compile: {(run.stdout + run.stderr)[-2000:]}")
    return f"{classes}:{path}"


def _jars(name: str, wanted: Sequence[tuple[str, str, str]]) -> Path:
    root = default_root()
    target = root / name
    with locked(root / "lock"):
        if not is_complete(target):
            shutil.rmtree(target, ignore_errors=True)
            _fetch(name, wanted, root, target)
    return target


def _fetch(name: str, wanted: Sequence[tuple[str, str, str]], root: Path, target: Path) -> None:
    lines = [f'<dependency org="{o}" name="{n}" rev="{r}" conf="default->master,runtime"/>' for o, n, r in wanted]
    module = (
        f'<ivy-module version="2.0"><info organisation="demo" module="{name}"/><configurations><conf name="default"/>'
        f"</configurations><dependencies>{''.join(lines)}</dependencies></ivy-module>"
    )
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=root) as scratch:
        run = retrieve(name, module, root, Path(scratch))
        out = Path(scratch) / "jars"
        sizes = {jar.name: jar.stat().st_size for jar in sorted(out.glob("*.jar"))}
        if run.returncode != 0 or not {f"{module}-{revision}.jar" for _, module, revision in wanted} <= sizes.keys():
            raise ArtifactError(f"{name} could not be fetched: {fetch_reason(run.stdout + run.stderr)}")
        (out / MARKER).write_text(json.dumps(sizes, indent=1))
        out.rename(target)
