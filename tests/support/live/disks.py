"""Disks of 200 MB under a real broker of 3.9.1: takes a home, lands sweeps while one of them fills, until it is full.

"idle391"    before anything is written: disks that do not fill, and are as empty as each other
"filling391" a topic without a limit fills a disk that has two of the broker's directories. On a second disk is a topic
             whose retention keeps up; most of a third is taken by a file that is no log. One topic is kept past its
             retention by timestamps in the future, its twin with timestamps of today is not
"hasty391"   two of the same sweeps with the thresholds as shipped: seconds say nothing of days

The disks are file systems in memory, in a mount namespace of their own: it is gone with the last process in it.

python -m support.live.disks HOME      the part that runs inside the namespace
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kafka import KafkaProducer

from fleet_demo.cluster import Cluster
from fleet_demo.load import Producer
from fleet_demo.topics import create_topic
from support.live.scenarios import avoid_midnight, sweep_of

IDLE, FILLING, HASTY = "idle391", "filling391", "hasty391"
NOT_RUN = "disks.txt"  # in the home: why no disk could be mounted
MIB = 2**20
DISK_MIB, OTHER_MIB, HELD_MIB = 200, 130, 3
SWEEPS, EVERY_S = 4, 5.0
FIRST_CHECK_S = 32.0  # brokers look for what retention lets go of half a minute after they have started, and not before
RECORD_BYTES, RECORDS_PER_S = 62_500, {"endless": 32, "steady": 16}  # 2 and 1 MB a second
DIRS = ("two/data", "both/first", "both/second", "one/data")
OFFLINE = "kafka.log:type=LogManager,name=OfflineLogDirectoryCount"
# a segment of what retention limits by size is half a percent of such a disk, and no growth
SOON = {
    "replica_disk": {"min_hours": 0, "min_growth_share": 0.03},
    "retention_behind": {"late_s": 5, "min_disk_share": 0.002},
}
CONFIG = {
    "log.retention.check.interval.ms": 1000,
    "log.segment.delete.delay.ms": 100,
    "broker.session.timeout.ms": 6000,
    "offsets.topic.replication.factor": 1,
}
SMALL = {"segment.bytes": MIB, "segment.index.bytes": 4096}
SHORT = {**SMALL, "retention.ms": 1000}
# in this order: the broker puts each into the first of its directories with the fewest partitions
TOPICS: dict[str, dict[str, object]] = {
    "steady": {**SMALL, "retention.bytes": 4 * MIB},
    "endless": SMALL,
    "held": SHORT,
    "timely": SHORT,
}


def result(home: Path) -> dict[str, float]:
    """Moments in seconds since the epoch: of the last sweep, and when the directory on the full disk was given up."""
    found: dict[str, float] = json.loads((home / "disks.json").read_text())
    return found


def _unable(own: Sequence[str]) -> str | None:
    """Why no disk can be mounted in a namespace here, in one sentence."""
    try:
        done = subprocess.run(
            [*own, "mount", "-t", "tmpfs", "fleet-test", "/mnt"], capture_output=True, text=True, timeout=30
        )
    except FileNotFoundError:
        return "small disks need the program unshare (util-linux)"
    return f"no disk can be mounted in a namespace here: {done.stderr.strip()}" if done.returncode else None


def run(home: Path) -> None:
    """Run it inside a mount namespace; some 120 s. Raises AssertionError with its log.

    Where none can be had the reason is in NOT_RUN, and what reads the days says it.
    """
    avoid_midnight(300)
    own = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if reason := _unable(own):
        (home / NOT_RUN).write_text(reason)
        print(f"live: no disk was filled: {reason}", flush=True)
        return
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [*own, sys.executable, "-m", "support.live.disks", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=found)
    assert done.returncode == 0, f"the disks of a mount namespace failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}"


def _disk(folder: Path) -> Path:
    folder.mkdir(parents=True)
    size = f"size={DISK_MIB}m"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "fleet-test", str(folder)], check=True)
    return folder


def _sweep(cluster: Cluster, home: Path, name: str, thresholds: dict[str, Any]) -> None:
    sweep_of(cluster, home, id=name, thresholds=thresholds)


def _write(cluster: Cluster, topic: str, timestamp_ms: int) -> None:
    """HELD_MIB of records with this timestamp."""
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks=1)
    try:
        sent = [
            producer.send(topic, os.urandom(RECORD_BYTES), timestamp_ms=timestamp_ms)
            for _ in range(HELD_MIB * MIB // RECORD_BYTES)
        ]
        for one in sent:
            one.get(timeout=60)
    finally:
        producer.close()


def _until_full(cluster: Cluster) -> float:
    """When the broker gave a directory up. Raises AssertionError where it does not within two minutes."""
    until = time.monotonic() + 120
    while not cluster.jolokia(1, OFFLINE, "Value"):
        assert time.monotonic() < until, "the disk was not full in two minutes"
        time.sleep(0.2)
    return time.time()


def fill(home: Path) -> None:
    """Inside the namespace: a broker on small disks, sweeps while one fills, and when it was full."""
    folder = home / "disks"
    for name in ("one", "two", "both"):
        _disk(folder / name)
    own = {"log.dirs": ",".join(str(folder / name) for name in DIRS), "metadata.log.dir": str(folder / "metadata")}
    with Cluster("disks391", "3.9.1", brokers=1, racks=(), broker_config=CONFIG | own, workdir=folder / "own") as one:
        begin = time.monotonic()
        for topic, config in TOPICS.items():
            create_topic(one, topic, config=config)
        for _ in range(3):
            _sweep(one, home, IDLE, SOON)
            time.sleep(1)
        with (folder / "one/other").open("wb") as other:
            os.posix_fallocate(other.fileno(), 0, OTHER_MIB * MIB)
        time.sleep(max(0.0, begin + FIRST_CHECK_S - time.monotonic()))
        now = 1000 * round(time.time())
        _write(one, "held", now + 86_400_000)
        _write(one, "timely", now)
        load = [Producer(one, name, pace, record_bytes=RECORD_BYTES) for name, pace in RECORDS_PER_S.items()]
        try:
            time.sleep(12)  # what retention limits by size has reached its limit
            for number in range(SWEEPS):
                time.sleep(EVERY_S if number else 0)
                _sweep(one, home, FILLING, SOON)
                if number < 2:
                    _sweep(one, home, HASTY, {})
            swept = time.time()
            assert not one.jolokia(1, OFFLINE, "Value"), "the disk was full before the last sweep"
            full = _until_full(one)
        finally:
            for client in load:
                client.stop(0)
    (home / "disks.json").write_text(json.dumps({"swept": swept, "full": full}))


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
