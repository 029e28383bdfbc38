"""`python -m benchmarks.readiness`: how long `kafka-fleet ready` takes on one very large cluster.

The sweep is landed as a collector lands it. Then the newest sweep is found, checked and read, and the question is
answered for each broker, in interleaved rounds.
"""

import argparse
import random
import resource
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.measure import Operation, figure, gate, interleaved, machine
from kafka_fleet.roll.readiness import READS, Asked, Known, readiness
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.newest_sweep import SweepTables, newest_sweep, sweep_tables

CLUSTER, AT = "large", datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
PER_TOPIC, SETTINGS, OFFSETS = 50, 26, 50  # partitions of a topic, settings of each, partitions of offsets
MOST_SECONDS, MOST_MB = 10, 1500


def _table(name: str, columns: dict[str, list[Any]]) -> pa.Table:
    """Rows of a raw table; columns that are not given are null."""
    rows = len(next(iter(columns.values())))
    fields = [field for field in raw_schemas()[name] if field.name not in ("cluster", "sweep_at")]
    return pa.table(
        {f.name: pa.array(columns[f.name], f.type) if f.name in columns else pa.nulls(rows, f.type) for f in fields}
    )


def _sweep(partitions: int, brokers: int, groups: int) -> dict[str, list[Any]]:
    """Tables of a sweep: three replicas each, of which one in a thousand partitions has one out of sync."""
    drawn = random.Random(1)  # noqa: S311 - to be had again
    ids = range(1, brokers + 1)
    placed = [drawn.sample(ids, 3) for _ in range(partitions)]
    topics = ["__consumer_offsets" if n < OFFSETS else f"topic-{n // PER_TOPIC}" for n in range(partitions)]
    numbers = [n % PER_TOPIC for n in range(partitions)]
    known = sorted(set(topics))
    names = ["min.insync.replicas", *(f"setting.{n}" for n in range(SETTINGS - 1))]
    own = {"process.roles": "broker", "socket.listen.backlog.size": "50", "inter.broker.listener.name": "INTERNAL"}
    in_sync = [held if n % 1000 else held[:2] for n, held in enumerate(placed)]
    logs: dict[str, list[Any]] = {
        "broker": [broker for held in placed for broker in held],
        "topic": [topic for topic in topics for _ in range(3)],
        "partition": [number for number in numbers for _ in range(3)],
        "size_bytes": [10**6] * 3 * partitions,
        "log_end_offset": [10**6] * 3 * partitions,
        "log_start_offset": [0] * 3 * partitions,
        "previous_log_end_offset": [10**6 - 1000] * 3 * partitions,
        "replicas_count": [3, 0, 0] * partitions,
    }
    metadata: dict[str, list[Any]] = {"topic": topics, "partition": numbers, "leader": [held[0] for held in placed]}
    settings: dict[str, list[Any]] = {"topic": [t for t in known for _ in names], "name": names * len(known)}
    return {
        "sweeps": [{"admin_outcome": "ok", "admin_missing": [], "previous_sweep_at": AT - timedelta(minutes=10)}],
        "brokers": [{"broker": b, "is_broker": True, "outcome": "ok", "read_at": AT, "missing": []} for b in ids],
        "broker_metrics": [
            {
                "broker": b,
                "read_at": AT,
                "release": "3.9.1",
                "broker_state": 3,
                "open_file_descriptors": 20_000,
                "max_file_descriptors": 100_000,
            }
            for b in ids
        ],
        "disks": [
            {"broker": b, "read_at": AT, "log_dir": f"/data/{n}", "total_bytes": 2**42, "usable_bytes": 2**40}
            for b in ids
            for n in range(8)
        ],
        "topics": [_table("topics", {**metadata, "replicas": placed, "isr": in_sync})],
        "topic_configs": [_table("topic_configs", {**settings, "value": ["2"] * len(names) * len(known)})],
        "broker_configs": [{"broker": b, "name": n, "value": v} for b in ids for n, v in own.items()],
        "groups": [{"group_id": f"group-{n}", "state": "Stable"} for n in range(groups)],
        "group_members": [{"group_id": f"group-{n % groups}", "member_id": f"{n}"} for n in range(3 * groups)],
        "partitions": [_table("partitions", logs)],
        "listeners": [
            {"broker": b, "read_at": AT, "listener": "EXTERNAL", "network_processor": n, "connections": 100.0}
            for b in ids
            for n in range(8)
        ],
    }


def _read(home: Path) -> SweepTables:
    sweep = newest_sweep(home, CLUSTER, list(READS))
    if sweep is None:
        raise LookupError("the sweep that was landed is not there")
    return sweep_tables(home, sweep, READS)


def main() -> int:
    """Land, measure, print figures and gates."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readiness", description=__doc__)
    parser.add_argument("--partitions", type=int, default=200_000)
    parser.add_argument("--brokers", type=int, default=60)
    parser.add_argument("--groups", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="readiness-") as folder:
        home = Path(folder)
        land(home, CLUSTER, AT, _sweep(options.partitions, options.brokers, options.groups))
        tables = _read(home)
        found = interleaved(
            [
                Operation("read", lambda: _read(home)),
                Operation("answer", lambda: readiness(tables, Asked(), Known())),
            ],
            options.rounds,
        )
        answer = readiness(tables, Asked(), Known())
    figure("reasons of all brokers", len(answer.reasons))
    figure("find, check and read the sweep", f"{found['read'].wall:.2f} s")
    figure("answer", f"{found['answer'].wall:.2f} s")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    held = [
        gate("both", found["read"].wall + found["answer"].wall, MOST_SECONDS, " s"),
        gate("memory, with what made the sweep", memory, MOST_MB, " MB"),
        gate("brokers without an answer", abs(len(answer.brokers) - options.brokers), 0),
    ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
