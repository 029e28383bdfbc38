"""What a sweep of a very large cluster takes of the quota: prints bytes in memory and in files per table, and the room.

    python -m benchmarks.quota [--partitions 200000] [--copies 3] [--groups 5000]

Log ends and commits are drawn at random, as no real ones are, so files are larger than a real cluster's.
"""

import argparse
import sys
import time
from datetime import UTC, datetime
from random import Random

import pyarrow as pa

from kafka_fleet.store.raw.row_validation import validated_rows
from kafka_fleet.store.raw.sweep_quota import Over, Room, decoded, encoded, fit_quota

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
BROKERS, PER_TOPIC, SETTINGS = 60, 20, 30


def tables(partitions: int, copies: int, groups: int) -> dict[str, pa.Table]:
    """The large tables of a sweep: each partition in so many copies, read by two groups."""
    random = Random(1)  # noqa: S311 - to be had again
    places, every = range(partitions), [place for place in range(partitions) for _copy in range(copies)]
    topics = [f"orders-of-a-team-{place // PER_TOPIC}" for place in places]
    numbers = [place % PER_TOPIC for place in places]
    ends = [random.randrange(10**10) for _place in places]
    brokers = [(place + number % copies) % BROKERS + 1 for number, place in enumerate(every)]
    replicas = {
        "broker": pa.array(brokers, pa.int32()),
        "topic": pa.array(topics).take(pa.array(every)),
        "partition": pa.array(numbers, pa.int32()).take(pa.array(every)),
    }
    end = pa.array(ends).take(pa.array(every))
    start = pa.array([one // 2 for one in ends]).take(pa.array(every))
    count = pa.array([copies] * len(every), pa.int32())
    lags = pa.table(replicas).slice(0, partitions * (copies - 1))
    lists = pa.array([[(place + copy) % BROKERS + 1 for copy in range(copies)] for place in places])
    readers = [f"billing-{place % groups}" for place in places]
    settings = range(partitions // PER_TOPIC * SETTINGS)
    return {
        "partitions": pa.table(
            {
                **replicas,
                "log_end_offset": end,
                "log_start_offset": start,
                "size_bytes": pa.array([one * 700 for one in ends]).take(pa.array(every)),
                "isr_count": count,
                "replicas_count": count,
                "previous_log_end_offset": pa.array([max(one - 7_000, 0) for one in ends]).take(pa.array(every)),
                "previous_log_start_offset": start,
            }
        ),
        "fetcher_lags": lags.append_column(
            "client_id", pa.array(["ReplicaFetcherThread-0-1"] * lags.num_rows)
        ).append_column("lag", pa.array([0] * lags.num_rows)),
        "topics": pa.table(
            {
                "topic": topics,
                "topic_id": [f"0b9c0f3e-9f6a-4b51-8f1e-{10**11 + place // PER_TOPIC}" for place in places],
                "partition": numbers,
                "leader": [place % BROKERS + 1 for place in places],
                "replicas": lists,
                "isr": lists,
            }
        ),
        "topic_configs": pa.table(
            {
                "topic": [f"orders-of-a-team-{one // SETTINGS}" for one in settings],
                "name": [f"segment.of.a.setting.{one % SETTINGS}" for one in settings],
                "value": [f"604800{one % 7}" for one in settings],
            }
        ),
        "group_offsets": pa.table(
            {
                "group_id": readers + [f"audit-{name}" for name in readers],
                "topic": topics * 2,
                "partition": numbers * 2,
                "committed_offset": ends + [max(one - random.randrange(10**6), 0) for one in ends],
            }
        ),
        "group_assignments": pa.table(
            {
                "group_id": readers,
                "member_id": [f"consumer-{name}-7c1d3bb2-0f6c-4f0e-a7ce-5d1b1bb0a001" for name in readers],
                "topic": topics,
                "partition": numbers,
            }
        ),
    }


def main() -> int:
    """Print the figures; 1 where the sweep does not fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partitions", type=int, default=200_000)
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--groups", type=int, default=5_000)
    options = parser.parse_args()
    given = tables(options.partitions, options.copies, options.groups)
    begun = time.process_time()
    made = {name: validated_rows(name, [rows], "payments-eu", AT)[0] for name, rows in given.items()}
    seconds = time.process_time() - begun
    print(f"{'table':18} {'rows':>12} {'MB in memory':>14} {'MB in files':>12}")
    for name, table in made.items():
        print(f"{name:18} {table.num_rows:>12,} {decoded(table) / 1e6:>14,.1f} {len(encoded(table)) / 1e6:>12,.1f}")
    admin = {name: table for name, table in made.items() if "broker" not in table.column_names}
    rest = {name: table for name, table in made.items() if name not in admin}
    over: list[Over] = []
    room = Room()
    for part, its in ((admin, room.half), (rest, None)):
        stored, contents, more = fit_quota(part, its or room, lambda make, tables: [make(one) for one in tables])
        room, over = room.less(stored, contents), over + more
        print(f"then left: {room.decoded / 1e6:,.0f} MB in memory, {room.stored / 1e6:,.1f} MB of files")
    print(f"made and bounded in {seconds:.2f} CPU s; not stored: {over or 'nothing'}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
