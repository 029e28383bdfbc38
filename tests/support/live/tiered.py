"""A broker with tiered storage in a folder: takes a folder, gives the settings; the folder can refuse copies.

The storage is LocalTieredStorage of Kafka's own tests, published with the release (kafka-storage, classifier test).
"""

import hashlib
import tempfile
from pathlib import Path

from fleet_demo.artifacts import ArtifactError, default_root, fetch_reason, locked, retrieve

RELEASE = "3.9.1"
SHA256 = "058353f420aaf533727a2e3d3c905cf1401651d6a52eea64b3b4ba5b46c3d683"
STORED = "kafka-tiered-storage"  # what LocalTieredStorage calls its folder


def storage_jar() -> Path:
    """The jar with LocalTieredStorage, fetched once. Raises ArtifactError with the reason."""
    root = default_root()
    jar = root / "tiered" / f"kafka-storage-{RELEASE}-test.jar"
    root.mkdir(parents=True, exist_ok=True)
    module = (
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">'
        '<info organisation="demo" module="tiered"/>'
        '<configurations><conf name="default"/></configurations><dependencies>'
        f'<dependency org="org.apache.kafka" name="kafka-storage" rev="{RELEASE}" conf="default-&gt;master" '
        'transitive="false"><artifact name="kafka-storage" type="jar" ext="jar" m:classifier="test"/></dependency>'
        "</dependencies></ivy-module>"
    )
    with locked(root / "lock"):
        if not jar.exists():
            with tempfile.TemporaryDirectory(prefix=".tiered-", dir=root) as scratch:
                run = retrieve("Kafka's tiered storage of its tests", module, root, Path(scratch))
                fetched = Path(scratch) / "jars" / jar.name
                if run.returncode != 0 or not fetched.exists():
                    raise ArtifactError(f"{jar.name} could not be fetched: {fetch_reason(run.stdout + run.stderr)}")
                jar.parent.mkdir(exist_ok=True)
                fetched.rename(jar)
    if hashlib.sha256(jar.read_bytes()).hexdigest() != SHA256:
        raise ArtifactError(f"{jar} is not the published jar: its sha256 differs.")
    return jar


def settings(folder: Path) -> dict[str, object]:
    """Of a broker that copies closed segments into the folder, twice a second."""
    return {
        "remote.log.storage.system.enable": "true",
        "remote.log.storage.manager.class.name": "org.apache.kafka.server.log.remote.storage.LocalTieredStorage",
        "remote.log.storage.manager.class.path": storage_jar(),
        "remote.log.storage.manager.impl.prefix": "rsm.config.",
        "rsm.config.dir": folder,
        "remote.log.metadata.manager.listener.name": "PLAINTEXT",
        "rlmm.config.remote.log.metadata.topic.replication.factor": 1,
        "rlmm.config.remote.log.metadata.topic.num.partitions": 1,
        "remote.log.manager.task.interval.ms": 500,
    }


def copies(folder: Path) -> dict[str, Path]:
    """The folder of each topic's partition 0 that has a copy, by topic: <topic>-0-<id> is its name."""
    return {one.name.rsplit("-0-", 1)[0]: one for one in (folder / STORED).glob("*-0-*")}


def refuse(folder: Path, topic: str) -> None:
    """From now on no segment of the topic can be copied: a file stands where its folder was."""
    held = copies(folder)[topic]
    held.rename(folder / "away")
    held.write_text("")
