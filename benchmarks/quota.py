"""What a sweep of a very large cluster takes of the quota: prints bytes in memory and in files per table, and the room.

    python -m benchmarks.quota [--partitions 200000] [--copies 3] [--groups 5000]

Every number moves on its own, as no real ones do, so files are larger than a real cluster's.
"""

import argparse
import sys
import time
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

from kafka_fleet.store.bounded import bounded
from kafka_fleet.store.quota import Room, decoded, encoded, fitting

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
BROKERS, PER_TOPIC, SETTINGS = 60, 20, 30


def _texts(prefix: str, numbers: np.ndarray) -> pa.Array:
    return pa.array([f"{prefix}{number}" for number in numbers.tolist()])


def tables(partitions: int, copies: int, groups: int) -> dict[str, pa.Table]:
    """The large tables of a sweep: each partition in so many copies, one follower's lag less, read by two groups."""
    random = np.random.default_rng(1)
    place = np.arange(partitions)
    topic, number = _texts("orders-of-a-team-", place // PER_TOPIC), pa.array(place % PER_TOPIC, pa.int32())
    copied = np.repeat(place, copies)
    broker = (copied + np.tile(np.arange(copies), partitions)) % BROKERS + 1
    ends = np.repeat(random.integers(0, 10**10, partitions), copies)
    replicas = {
        "broker": pa.array(broker, pa.int32()),
        "topic": topic.take(pa.array(copied)),
        "partition": number.take(pa.array(copied)),
    }
    moved = pa.array(ends - random.integers(0, 10**6, partitions * copies))
    start = pa.array(ends // 2)
    followed = pa.table(replicas).slice(0, partitions * (copies - 1))
    sent = random.integers(0, 10**10, partitions)
    lists = pa.array([[(one + copy) % BROKERS + 1 for copy in range(copies)] for one in place.tolist()])
    members = _texts("billing-", place % groups)
    member_ids = _texts("consumer-of-billing-with-a-long-generated-identity-", place % groups)
    per_setting = np.repeat(np.arange(partitions // PER_TOPIC), SETTINGS)
    made = {
        "partitions": pa.table(
            replicas
            | {"log_end_offset": pa.array(ends), "log_start_offset": start, "size_bytes": pa.array(ends * 700)}
            | {"isr_count": pa.array(np.full(len(ends), copies), pa.int32())}
            | {"replicas_count": pa.array(np.full(len(ends), copies), pa.int32())}
            | {"previous_log_end_offset": moved, "previous_log_start_offset": start}
        ),
        "fetcher_lags": followed.append_column(
            "client_id", pa.array(["ReplicaFetcherThread-0-1"] * followed.num_rows)
        ).append_column("lag", pa.array(np.zeros(followed.num_rows, np.int64))),
        "topics": pa.table({"topic": topic, "partition": number, "leader": pa.array(place % BROKERS + 1, pa.int32()),
                            "topic_id": _texts("0b9c0f3e-9f6a-4b51-8f1e-", 10**11 + place // PER_TOPIC),
                            "replicas": lists, "isr": lists}),
        "topic_configs": pa.table({"topic": _texts("orders-of-a-team-", per_setting),
                                   "name": _texts("segment.of.a.setting.", np.tile(np.arange(SETTINGS), len(per_setting) // SETTINGS)),
                                   "value": _texts("604800", per_setting % 7)}),
        "group_offsets": pa.table({"group_id": pa.concat_arrays([members, members]),
                                   "topic": pa.concat_arrays([topic, topic]),
                                   "partition": pa.concat_arrays([number, number]),
                                   "committed_offset": pa.array(np.concatenate([sent, sent + 7]))}),
        "group_assignments": pa.table({"group_id": members, "member_id": member_ids, "topic": topic, "partition": number}),
    }  # fmt: skip
    return made


def main() -> int:
    """Print the figures; 1 where the sweep does not fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partitions", type=int, default=200_000)
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--groups", type=int, default=5_000)
    options = parser.parse_args()
    given = tables(options.partitions, options.copies, options.groups)
    begun, made = time.process_time(), {}
    for name, rows in given.items():
        made[name], refused = bounded(name, [rows], "payments-eu", AT)
        assert not refused, refused
    seconds = time.process_time() - begun
    print("table               rows          decoded MB  stored MB")
    for name, table in made.items():
        print(f"{name:18} {table.num_rows:>12,} {decoded(table) / 1e6:>12,.1f} {len(encoded(table)) / 1e6:>10,.1f}")
    admin = {name: table for name, table in made.items() if "broker" not in table.column_names}
    room, over = Room(), []
    for part, its in ((admin, room.half), ({n: t for n, t in made.items() if n not in admin}, None)):
        stored, contents, more = fitting(part, its or room, lambda make, tables: [make(one) for one in tables])
        room, over = room.less(stored, contents), over + more
        print(f"left: {room.decoded / 1e6:,.0f} MB in memory, {room.stored / 1e6:,.1f} MB of files")
    print(f"made and bounded in {seconds:.2f} CPU s; not stored: {over or 'nothing'}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
