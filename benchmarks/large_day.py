"""One day of a large cluster: takes a home, partitions, sweeps and copies, lands every sweep as a collector does.

The small tables (brokers, requests, listeners, configs, groups ...) are those of a generated healthy cluster of eight
brokers; the tables that grow with partitions are made as columns: each partition has a rate of its own, takes records
at every interval, and is read on all of its replicas.
"""

import argparse
import sys
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.landing import land
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.landing import swept

CLUSTER = "largest"
BROKERS = list(range(1, 9))
PER_TOPIC = 100
SEED = 3


class Partitions:
    """The partitions of the cluster as columns; `after(seconds)` gives where their logs end then."""

    def __init__(self, partitions: int, copies: int) -> None:
        rng = Random(SEED)  # noqa: S311
        self.number, self.copies = partitions, copies
        self.topic = pa.array([f"events-{i // PER_TOPIC:05d}" for i in range(partitions)])
        self.partition = pa.array([i % PER_TOPIC for i in range(partitions)], pa.int32())
        self.topic_id = pa.array([f"id{i // PER_TOPIC:020d}" for i in range(partitions)])
        self.replicas = [[BROKERS[(i + copy) % len(BROKERS)] for copy in range(copies)] for i in range(partitions)]
        self.rate = pa.array([rng.lognormvariate(0.0, 0.4) for _ in range(partitions)])
        self.start = pa.array([rng.randrange(10**6) for _ in range(partitions)], pa.int64())
        self.isr = pa.array(self.replicas, pa.list_(pa.int32()))

    def ends(self, seconds: float) -> pa.Array:
        """Log ends, in records."""
        return pc.add(self.start, pc.cast(pc.multiply(self.rate, seconds), pa.int64(), safe=False))

    def replica_rows(self, seconds: float, reads: dict[int, datetime]) -> list[pa.Table]:
        """Raw table partitions: one table per broker that was read, in the order of its replicas."""
        ends, kind = self.ends(seconds), raw_schemas()["partitions"].field("read_at").type
        found = []
        for copy in range(self.copies):
            places = pa.array([hosts[copy] for hosts in self.replicas], pa.int32())
            count = pa.scalar(self.copies if copy == 0 else 0, pa.int32())
            for broker in sorted(reads):
                here = pc.equal(places, broker)
                own = ends.filter(here)
                found.append(
                    pa.table(
                        {
                            "broker": pa.repeat(pa.scalar(broker, pa.int32()), len(own)),
                            "read_at": pa.repeat(pa.scalar(reads[broker], kind), len(own)),
                            "topic": self.topic.filter(here),
                            "partition": self.partition.filter(here),
                            "log_end_offset": own,
                            "log_start_offset": self.start.filter(here),
                            "size_bytes": pc.multiply(own, 170),
                            "isr_count": pa.repeat(count, len(own)),
                            "replicas_count": pa.repeat(count, len(own)),
                        }
                    )
                )
        return found

    def topic_rows(self) -> pa.Table:
        """Raw table topics: leaders are the preferred ones, sets are whole."""
        return pa.table(
            {
                "topic": self.topic,
                "topic_id": self.topic_id,
                "partition": self.partition,
                "leader": pa.array([hosts[0] for hosts in self.replicas], pa.int32()),
                "replicas": self.isr,
                "isr": self.isr,
                "internal": pa.repeat(pa.scalar(False), self.number),
            }
        )


def make(home: Path, partitions: int, sweeps: int, copies: int) -> tuple[str, int]:
    """Land the day. Gives it, YYYY-MM-DD, and the rows of the partitions table."""
    base = healthy(SEED)
    spec = replace(base, cluster=CLUSTER, brokers=BROKERS, sweeps=sweeps, every_s=86_400 / sweeps, events=[],
                   skipped=set(), failing=set())  # fmt: skip
    large, rows, day, first = Partitions(partitions, copies), 0, "", None
    topics = large.topic_rows()
    for number, (at, small) in enumerate(swept(spec)):
        first = first or at
        tables: dict[str, Any] = dict(small)
        reads = {row["broker"]: row["read_at"] for row in small["brokers"] if row["read_at"] is not None}
        replicas = large.replica_rows((at - first).total_seconds() + 1000, reads)
        tables["partitions"] = [*small.get("partitions", ()), *replicas]
        tables["topics"] = [*small.get("topics", ()), topics]
        landed = land(home, CLUSTER, at, tables)
        rows += landed.files["partitions"].rows
        day = at.date().isoformat()
        print(f"\rsweep {number} of {sweeps}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return day, rows


def main() -> None:
    """Make one day by the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--partitions", type=int, default=200_000)
    parser.add_argument("--sweeps", type=int, default=96)
    parser.add_argument("--copies", type=int, default=1, help="replication factor")
    given = parser.parse_args()
    began = time.monotonic()
    day, rows = make(given.home, given.partitions, given.sweeps, given.copies)
    print(f"{day}: {rows:,} rows of partitions in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
