"""A plots document as the judge writes it, without a judge: 144 sweeps of ten minutes, three hours of them missing."""

import itertools
import json
import math
from functools import cache
from typing import Any

Json = dict[str, Any]
SWEEPS = [300 + 600 * n for n in range(144) if not 10 * 3600 < 300 + 600 * n < 13 * 3600]


def _moments(value: Any) -> list[list[float]]:
    return [[at, at, round(value(at), 3)] for at in SWEEPS]


def _intervals(value: Any) -> list[list[float]]:
    """As rates are: the interval over the missing sweeps is there, and spans them."""
    return [[a, b, round(value(b), 3)] for a, b in itertools.pairwise(SWEEPS)]


def _panel(title: str, unit: str, count: int, series: dict[str, list[list[float]]]) -> Json:
    return {"title": title, "unit": unit, "series_count": count,
            "series": [{"name": name, "points": points} for name, points in series.items()]}  # fmt: skip


def _plot(name: str, title: str, panels: list[Json], **more: Any) -> Json:
    return {"plot": name, "title": title, "about": f"What {name} shows.", "limit": None, "panels": panels,
            "panel_count": len(panels), "missing": [], **more}  # fmt: skip


def plots_document(cluster: str, ds: str, topic: str = "orders", partition: str = "partition") -> Json:
    """Four plots: hot partitions, fetches that wait out the cap on one of two brokers, connections, in-sync sets."""
    made: Json = json.loads(_plots_of(topic, partition))
    return made | {"ds": ds, "cluster": cluster}


@cache
def _plots_of(topic: str, partition: str) -> str:
    """The document as JSON: thousands of points, which many tests ask for."""
    day = 86_400
    rates = {
        f"{partition} {n}": _intervals(lambda at, n=n: (60 - 6 * n) * (1.4 + math.sin(at / day * 6))) for n in range(8)
    }
    waits = {
        "p50 wait": _moments(lambda at: 502 if at > day / 2 else 90 + at / 900),
        "p75 wait": _moments(lambda at: 503 if at > day / 3 else 200),
        "p99 wait": _moments(lambda at: 505),
        "p99 in all": _moments(lambda at: 511),
    }
    held = {f"broker {n}, EXTERNAL": _moments(lambda at, n=n: 300 + 20 * n) for n in (1, 2)}
    short = {
        "under-replicated": _moments(lambda at: 12 if 70_000 < at < 80_000 else 0),
        "two or more short": _moments(lambda at: 0),
        "leader alone": _moments(lambda at: 0),
    }
    gaps = [[a, b] for a, b in itertools.pairwise(SWEEPS) if b - a > 1500]
    made = {
        "schema_version": 1,
        "sweeps": {"count": len(SWEEPS), "first": SWEEPS[0], "last": SWEEPS[-1], "usual": 600, "gaps": gaps,
                   "gap_count": len(gaps)},
        "plots": [
            _plot("record_rates", "Records per second and partition",
                  [_panel(f"topic {topic}, the busiest", "records/s", 4000, rates)]),
            _plot("fetch_times", "How long consumer fetches took", [_panel("broker 2", "ms", 4, waits)],
                  limit={"value": 500.0, "label": "fetch.max.wait.ms"}, panel_count=3,
                  missing=["fetch times were not read on broker 3"]),
            _plot("connections", "Connections", [_panel("held", "connections", 2, held)]),
            _plot("in_sync_sets", "In-sync sets", [_panel("of 4,000 partitions", "partitions", 3, short)]),
        ],
    }  # fmt: skip
    return json.dumps(made)
