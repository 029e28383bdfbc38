"""In goes a Kafka release number; out comes a folder with every jar that its brokers and tools need.

The jars are the ones the Kafka project publishes to Maven repositories. The resolver is the Ivy that ships inside
pyspark, so nothing beyond this project's own environment and a Java runtime is needed. Ivy's own defaults say where to
fetch from; a site with a mirror points KAFKA_FLEET_IVY_SETTINGS at its ivysettings file.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka_fleet.settings import read_settings

JOLOKIA_VERSION = "2.2.9"
# the Prometheus JMX exporter's Java agent: benchmarks and live tests want it, beside Jolokia on the same broker
EXPORTER_VERSION = "1.0.1"
EXPORTER_SHA256 = "7d61f737fd661610ccc14aea79764faa1ea94a340cbc8f0029b3d2edea3d80c1"
MARKER = "complete.json"
RETRIEVE_TIMEOUT_SECONDS = 600.0
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # over before the optimizing compiler pays

_RELEASE = re.compile(r"(0\.)?\d{1,3}\.\d{1,3}\.\d{1,3}")
# Kafka leaves the choice of a logging back end to whoever runs it: its own distribution used log4j 1 up to 3.9 and uses
# log4j 2 from 4.0 on, and parts of the broker look for exactly those classes.
_LOG4J1 = [("org.slf4j", "slf4j-reload4j", "1.7.36")]
_LOG4J2 = [
    ("org.apache.logging.log4j", "log4j-core", "2.24.3"),
    ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.24.3"),
]
_JAXB = [("javax.xml.bind", "jaxb-api", "2.3.1")]  # 0.11 makes ids with it, and Java has none from 11 on
_UNPUBLISHED = '<exclude org="org.apache.kafka" module="kafka-tools-api"/>'  # asked for from 4.2 on, not to be had
# the client of ZooKeeper 3.4.13 finds no host on Java 14 and later (ZOOKEEPER-3779); 3.4.10 does, and speaks the same
_OLDER_ZOOKEEPER = '<override org="org.apache.zookeeper" module="zookeeper" rev="3.4.10"/>'
_NO_OLD_BINDINGS = '<exclude org="log4j" module="log4j"/><exclude org="org.slf4j" module="slf4j-log4j12"/>'


class ArtifactError(RuntimeError):
    """One sentence: which release could not be had, and why."""


def release_tuple(release: str) -> tuple[int, ...]:
    """Turn "3.3.1" into (3, 3, 1); anything but three plain numbers, four before 1.0, is an ArtifactError."""
    if not _RELEASE.fullmatch(release):
        raise ArtifactError(
            f"{release!r} is not a published Apache Kafka release: three numbers are expected, as in 3.3.1."
        )
    return tuple(int(part) for part in release.split("."))


def default_root() -> Path:
    """Return the folder that keeps one subfolder per release: KAFKA_FLEET_ARTIFACTS, else the user's cache folder."""
    configured = read_settings("artifacts").artifacts
    return Path(configured) if configured else Path.home() / ".cache" / "kafka-fleet" / "kafka"


def java_program() -> str:
    """Return the Java launcher: the one of JAVA_HOME, else the one on the PATH; none at all is an ArtifactError."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    found = found or shutil.which("java")
    if found is None:
        raise ArtifactError("No Java runtime found: set JAVA_HOME or put java on the PATH.")
    return found


def kafka_jars(release: str, root: Path | None = None) -> Path:
    """Return the folder with the jars of one release, fetching them once.

    Args:
        release: three numbers, such as "3.3.1", or four before 1.0.
        root: where the release folders live; default_root() when absent.

    Raises:
        ArtifactError: the release does not exist, or a jar could not be fetched.
    """
    release_tuple(release)
    root = root or default_root()
    target = root / release
    if is_complete(target):
        return target
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / "lock"):
        if not is_complete(target):  # another process may have fetched it while this one waited for the lock
            shutil.rmtree(target, ignore_errors=True)
            _fetch(release, root, target)
    return target


def jolokia_agent(jars: Path) -> Path:
    """Return the Jolokia JVM agent inside a folder that kafka_jars() returned."""
    return jars / f"jolokia-agent-jvm-{JOLOKIA_VERSION}-javaagent.jar"


def exporter_agent(root: Path | None = None) -> Path:
    """Return the Prometheus JMX exporter's Java agent, fetched once and checked against its pinned sha256 each time.

    Raises:
        ArtifactError: it could not be fetched, or is not the published one.
    """
    root = root or default_root()
    jar = root / "jmx-exporter" / f"jmx_prometheus_javaagent-{EXPORTER_VERSION}.jar"
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / "lock"):
        if not jar.exists():
            module = (
                '<ivy-module version="2.0"><info organisation="demo" module="exporter"/><configurations>'
                '<conf name="default"/></configurations><dependencies><dependency org="io.prometheus.jmx" '
                f'name="jmx_prometheus_javaagent" rev="{EXPORTER_VERSION}" conf="default-&gt;master" '
                'transitive="false"/></dependencies></ivy-module>'
            )
            with tempfile.TemporaryDirectory(prefix=".exporter-", dir=root) as scratch:
                run = retrieve("The JMX exporter", module, root, Path(scratch))
                fetched = Path(scratch) / "jars" / jar.name
                if run.returncode != 0 or not fetched.exists():
                    raise ArtifactError(
                        f"The JMX exporter could not be fetched: {fetch_reason(run.stdout + run.stderr)}"
                    )
                jar.parent.mkdir(exist_ok=True)
                fetched.rename(jar)
    if hashlib.sha256(jar.read_bytes()).hexdigest() != EXPORTER_SHA256:
        raise ArtifactError(f"{jar} is not the published JMX exporter {EXPORTER_VERSION}: its sha256 differs.")
    return jar


def has_tools(release: str) -> bool:
    """Whether the producer and consumer tools of a release are published; from 4.2.0 on they are not."""
    return release_tuple(release) < (4, 2, 0)


def ivy_module(release: str) -> str:
    """Return the ivy.xml that names what a release needs: broker, tools, logging back end, Jolokia agent."""
    version = release_tuple(release)
    scala = "2.13" if version >= (2, 4, 0) else "2.12"  # the builds for Scala 2.13 begin at 2.4.0
    wanted = [("org.apache.kafka", f"kafka_{scala}", release)]
    if has_tools(release):
        wanted.append(("org.apache.kafka", "kafka-tools", release))
    wanted += _JAXB if version < (1, 0) else []
    wanted += _LOG4J2 if version >= (4, 0, 0) else _LOG4J1
    lines = [f'<dependency org="{o}" name="{n}" rev="{r}" conf="default->master,runtime"/>' for o, n, r in wanted]
    excluded = _NO_OLD_BINDINGS if has_tools(release) else _NO_OLD_BINDINGS + _UNPUBLISHED
    excluded += _OLDER_ZOOKEEPER if (2, 0, 1) <= version < (2, 3, 0) else ""
    agent = '<artifact name="jolokia-agent-jvm" type="jar" ext="jar" m:classifier="javaagent"/>'
    return (
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven"><info organisation="demo" module="kafka"/>'
        f'<configurations><conf name="default"/></configurations><dependencies>{"".join(lines)}'
        f'<dependency org="org.jolokia" name="jolokia-agent-jvm" rev="{JOLOKIA_VERSION}" conf="default->master" '
        f'transitive="false">{agent}</dependency>{excluded}</dependencies></ivy-module>'
    )


def is_complete(target: Path) -> bool:
    """Whether a folder has every file that its marker names, in its size."""
    try:
        sizes: dict[str, int] = json.loads((target / MARKER).read_text())
        return all((target / name).stat().st_size == size for name, size in sizes.items())
    except (FileNotFoundError, ValueError):
        return False


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time fetch."""
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)  # released by the kernel when the holder dies, so it can never go stale
        yield


def retrieve(what: str, ivy: str, root: Path, scratch: Path) -> subprocess.CompletedProcess[str]:
    """Run Ivy over the text of an ivy.xml; the jars come into scratch/jars."""
    module, out = scratch / "ivy.xml", scratch / "jars"
    module.write_text(ivy)
    command = [java_program(), *SHORT_LIVED, "-jar", str(_ivy_jar()), "-ivy", str(module), "-cache", str(root / "ivy")]
    if settings := read_settings("ivy_settings").ivy_settings:
        command += ["-settings", settings]
    command += ["-types", "jar", "bundle", "-retrieve", f"{out}/[artifact]-[revision](-[classifier]).[ext]"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=RETRIEVE_TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ArtifactError(f"{what} could not be fetched: no end after {RETRIEVE_TIMEOUT_SECONDS:.0f} s.") from None


def _fetch(release: str, root: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{release}-", dir=root) as scratch:
        out = Path(scratch) / "jars"
        run = retrieve(f"Apache Kafka {release}", ivy_module(release), root, Path(scratch))
        sizes = {jar.name: jar.stat().st_size for jar in sorted(out.glob("*.jar"))}
        needed = {f"kafka-clients-{release}.jar", jolokia_agent(out).name}
        needed |= {f"kafka-tools-{release}.jar"} if has_tools(release) else set()
        if run.returncode != 0 or not needed <= sizes.keys():
            raise ArtifactError(f"Apache Kafka {release} could not be fetched: {fetch_reason(run.stdout + run.stderr)}")
        (out / MARKER).write_text(json.dumps(sizes, indent=1))
        out.rename(target)


def _ivy_jar() -> Path:
    spec = importlib.util.find_spec("pyspark")
    jars = (
        [jar for place in (spec.submodule_search_locations or []) for jar in Path(place).glob("jars/ivy-*.jar")]
        if spec
        else []
    )
    if not jars:
        raise ArtifactError("No Ivy found: pyspark, which ships it, is not installed in this environment.")
    return jars[0]


def fetch_reason(output: str) -> str:
    """The line of a resolver's output that says most."""
    lines = [line.strip(" \t:") for line in output.splitlines()]
    telling = [line for line in lines if "not found" in line or "Exception" in line or "error" in line.lower()]
    return (telling or [line for line in lines if line] or ["the resolver said nothing"])[-1]
