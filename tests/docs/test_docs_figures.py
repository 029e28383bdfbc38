"""The figures of docs/signatures/fetch_latency.md: takes the recorded sweeps, counts again in plain Python."""

import re
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq

from support.homes.recorded import FOLDER

PAGE = Path(__file__).resolve().parents[2] / "docs" / "signatures" / "fetch_latency.md"


def counters() -> dict[str, dict[int, list[tuple[int, int]]]]:
    """Fetches and expiries by cluster and broker, in the order of the sweeps; no fetch yet means no row, which is 0."""
    fetches: dict[tuple[object, ...], int] = defaultdict(int)
    for row in pq.read_table(FOLDER / "requests.parquet").to_pylist():
        if row["request"] == "FetchConsumer":  # one row per version of the request
            fetches[row["cluster"], row["broker"], row["sweep_at"]] += row["requests"]
    found: dict[str, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    metrics = pq.read_table(FOLDER / "broker_metrics.parquet").to_pylist()
    for row in sorted(metrics, key=lambda one: one["sweep_at"]):
        key = (row["cluster"], row["broker"], row["sweep_at"])
        found[row["cluster"]][row["broker"]].append((fetches[key], row["expired_consumer_fetches"]))
    return found


def deltas(reads: list[tuple[int, int]]) -> tuple[int, int]:
    """What both counters did between the first and the last sweep; no recorded process restarts."""
    return reads[-1][0] - reads[0][0], reads[-1][1] - reads[0][1]


def test_the_measured_table_is_what_the_recordings_hold():
    table = PAGE.read_text(encoding="utf-8").split("| Recording |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    recorded = counters()
    assert {row[0] for row in rows} == set(recorded) - {"idle331"}, "every recording but the idle one has a row"
    for name, _load, fetches, expired, share, verdict in rows:
        measured = max(deltas(reads) for reads in recorded[name].values())
        if name == "redirect312":  # its consumer reads from broker 2; the redirected fetches at broker 1 are more
            measured = deltas(recorded[name][2])
        assert (int(fetches), int(expired)) == measured, name
        assert float(share) == round(measured[1] / measured[0], 3), name
        assert re.search(r"`(confirmed|exposed|not_affected)`", verdict)
