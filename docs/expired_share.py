"""Prints the statistic of fetch_latency for every broker: takes a home and a day, also where nothing was detected.

    python docs/expired_share.py HOME YYYY-MM-DD

Expired consumer fetches divided by consumer fetches, summed over the day's usable intervals. It reads the fact table
`broker_counters` of the published generation, so `kafka-fleet analyze` comes first.
"""

import sys
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home

COLUMNS = ["cluster", "broker", "kind", "seconds", "consumer_fetches", "expired_consumer_fetches", "ran_back"]


def shares(home: Path, ds: str) -> list[tuple[str, int, float, int, int]]:
    """Cluster, broker, seconds measured, fetches and expiries. Raises FileNotFoundError when nothing is published."""
    folder = Home(home).day(ds).facts("broker_counters")
    generation = current_generation(folder)
    if generation is None:
        raise FileNotFoundError(f"{folder} has no published facts; run kafka-fleet analyze first")
    table = pq.read_table(folder / generation, columns=COLUMNS)
    usable = pc.and_(pc.equal(table["kind"], "sweeps"), pc.invert(table["ran_back"]))
    table = table.filter(pc.and_(usable, pc.is_valid(table["expired_consumer_fetches"])))
    sums = table.group_by(["cluster", "broker"]).aggregate(
        [("seconds", "sum"), ("consumer_fetches", "sum"), ("expired_consumer_fetches", "sum")]
    )
    names = ["cluster", "broker", "seconds_sum", "consumer_fetches_sum", "expired_consumer_fetches_sum"]
    return sorted(tuple(row[name] for name in names) for row in sums.to_pylist())


def main(home: str, ds: str) -> None:
    """Entry point: one line per broker."""
    print(f"{'cluster':<16}{'broker':>6}{'seconds':>9}{'fetches':>9}{'expired':>9}{'share':>8}")
    for cluster, broker, seconds, fetches, expired in shares(Path(home), ds):
        share = f"{expired / fetches:.3f}" if fetches else "-"
        print(f"{cluster:<16}{broker:>6}{seconds:>9.0f}{fetches:>9}{expired:>9}{share:>8}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(str(__doc__))
    main(sys.argv[1], sys.argv[2])
