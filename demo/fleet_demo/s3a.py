"""In goes nothing; out comes a folder with the jars that pyspark needs for `s3a://`, fetched once by the Ivy it ships.

Hadoop's own list ends in `software.amazon.awssdk:bundle`, 600 MB of every AWS service. The modules below are those that
its S3 client uses, 12 MB; what Spark ships already (Netty, Apache's HTTP client) is left out.
"""

import json
import os
import tempfile
from pathlib import Path

from fleet_demo.artifacts import MARKER, ArtifactError, default_root, fetch_reason, is_complete, locked, retrieve

HADOOP = "3.5.0"  # that of pyspark 4.2.0: jars/hadoop-client-api-3.5.0.jar
AWS_SDK = "2.35.4"  # that Hadoop 3.5.0 is built with
PACKAGES = (
    f"org.apache.hadoop:hadoop-aws:{HADOOP}",
    *(f"software.amazon.awssdk:{name}:{AWS_SDK}" for name in ("s3", "s3-transfer-manager", "sts")),
    *(f"software.amazon.awssdk:{name}:{AWS_SDK}" for name in ("apache-client", "netty-nio-client")),
)
EXCLUDES = (
    "software.amazon.awssdk:bundle",
    "org.wildfly.openssl:wildfly-openssl",
    "org.apache.httpcomponents:*",
    "io.netty:*",
    "commons-codec:*",
    "commons-logging:*",
    "org.slf4j:*",
)


def s3a_jars(root: Path | None = None) -> list[Path]:
    """The jars, from a folder of `root` (default: beside the Kafka releases). Raises ArtifactError with a sentence."""
    root = root or default_root()
    target = root / f"s3a-{HADOOP}-{AWS_SDK}"
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / "lock"):
        if not is_complete(target):
            _fetch(root, target)
    return sorted(target.glob("*.jar"))


def _fetch(root: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".s3a-", dir=root) as scratch:
        run = retrieve("Hadoop's S3 client", _module(), root, Path(scratch))
        out = Path(scratch) / "jars"
        sizes = {jar.name: jar.stat().st_size for jar in sorted(out.glob("*.jar"))}
        needed = {"-".join(package.split(":")[1:]) + ".jar" for package in PACKAGES}
        if run.returncode != 0 or not needed <= sizes.keys():
            raise ArtifactError(f"Hadoop's S3 client could not be fetched: {fetch_reason(run.stdout + run.stderr)}")
        (out / MARKER).write_text(json.dumps(sizes, indent=1))
        os.rename(out, target)


def _module() -> str:
    parts = [package.split(":") for package in PACKAGES]
    lines = [f'<dependency org="{o}" name="{n}" rev="{r}" conf="default->master,runtime"/>' for o, n, r in parts]
    left = [exclude.split(":") for exclude in EXCLUDES]
    lines += [f'<exclude org="{org}" module="{name.replace("*", ".*")}" matcher="regexp"/>' for org, name in left]
    return (
        '<ivy-module version="2.0"><info organisation="demo" module="s3a"/><configurations><conf name="default"/>'
        f"</configurations><dependencies>{''.join(lines)}</dependencies></ivy-module>"
    )
