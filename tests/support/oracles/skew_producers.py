"""Do a topic's producers tell that they sent as before when a leader's slowness began or ended? In plain Python.

Written from docs/signatures/partition_skew.md alone; takes windows of one topic and raw rows of `client_metrics`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from support.oracles.skew_windows import Window

Row = dict[str, Any]


class Told(NamedTuple):
    """Of one producer between two of its samples: own records of the topic per second, and its longest wait (ms)."""

    rate: float
    wait: float | None


def told(rows: Iterable[Row], topic: str) -> dict[datetime, dict[str, Told]]:
    """What producers tell of a topic, by the sweep that an interval ends with."""
    series: dict[tuple[str, str | None], list[Row]] = defaultdict(list)
    for row in rows:
        if row["topic"] in (None, topic):
            series[row["client_instance_id"] or row["client_id"], row["topic"]].append(row)
    found: dict[datetime, dict[str, Told]] = defaultdict(dict)
    for (client, of), samples in series.items():
        waits = {row["sweep_at"]: row["queue_time_max_ms"] for row in series.get((client, None), [])}
        for first, last in pairwise(sorted(samples, key=lambda row: row["sweep_at"])) if of == topic else ():
            seconds = (last["read_at"] - first["read_at"]) / timedelta(seconds=1)
            own = [row["record_sends"] - row["record_retries"] for row in (first, last)]
            found[last["sweep_at"]][client] = Told((own[1] - own[0]) / seconds, waits.get(last["sweep_at"]))
    return found


def producers_tell(windows: list[Window], rows: Iterable[Row], topic: str, limits: Mapping[str, float]) -> bool:
    """Whether all pairs of a contrasted and a calm window that are near show the same producers, that waited longer."""
    by_sweep = told(rows, topic)
    pairs = [
        (s, c)
        for s in windows for c in windows
        if s.contrasted and c.calm
        and max((s.begin - c.end).total_seconds(), (c.begin - s.end).total_seconds())
        <= limits["max_apart"] * max(s.seconds, c.seconds)
    ]  # fmt: skip
    return bool(pairs) and all(_same(s, c, by_sweep, limits) for s, c in pairs)


def _same(
    slow: Window, calm: Window, by_sweep: Mapping[datetime, Mapping[str, Told]], limits: Mapping[str, float]
) -> bool:
    in_slow, in_calm = by_sweep.get(slow.place[2], {}), by_sweep.get(calm.place[2], {})
    rates = [
        (in_slow[name].rate if name in in_slow else 0.0, in_calm[name].rate if name in in_calm else 0.0)
        for name in {*in_slow, *in_calm}
    ]
    usual = sum(rate for _slow, rate in rates)
    waits = [[one.wait for one in found.values() if one.wait is not None] for found in (in_slow, in_calm)]
    return (
        usual > 0
        and sum(rate for rate, _calm in rates) >= limits["min_told"] * sum(slow.rates.values())
        and usual >= limits["min_told"] * sum(calm.rates.values())
        and sum(abs(one - other) for one, other in rates) <= limits["max_producer_change"] * usual
        and all(waits)
        and max(waits[0]) >= limits["slow_ratio"] * max(waits[1])
    )
