"""When a cluster was scraped: takes its targets and an hour, gives each broker's first good scrape of every window.

A window is [sweep time, sweep time + step). Each scrape belongs to one window, so none is taken for two sweeps.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kafka_fleet.collect.connections.prometheus import Prometheus, Series, promql_string
from kafka_fleet.prometheus_import.targets import Labels


class BrokerScrape(NamedTuple):
    """What Prometheus saw of a broker in a window: its first good scrape (ms since epoch), or why there is none."""

    target: Labels | None
    at_ms: int | None
    kind: str | None = None
    detail: str | None = None


class _Up(NamedTuple):
    target: Labels
    good: list[int]  # times of scrapes that worked, ms since epoch, in order
    bad: list[int]


def scrapes(
    server: Prometheus, targets: Mapping[int, Sequence[Labels]], start_ms: int, end_ms: int, step_ms: int
) -> dict[int, dict[int, BrokerScrape]]:
    """Per window (its start, ms) what was seen of each broker; windows without any scrape are left out.

    Raises Failure when Prometheus does not answer.
    """
    every = [target for found in targets.values() for target in found]
    instances = sorted({dict(target).get("instance", "") for target in every})
    asked = f'{{__name__="up",instance=~{promql_string("|".join(_literal(one) for one in instances))}}}'
    ups = list(_ups(server.samples(asked, end_ms - 1, end_ms - start_ms), every, start_ms, end_ms))
    found: dict[int, dict[int, BrokerScrape]] = {}
    for start in range(start_ms, end_ms, step_ms):
        window = {
            broker: _seen([_cut(up, start, start + step_ms) for up in ups if up.target in own])
            for broker, own in targets.items()
        }
        if any(one.kind != "no_samples" for one in window.values()):
            found[start] = window
    return found


def _literal(text: str) -> str:
    """The text as a regular expression of Go's, whose special characters these are."""
    return "".join(f"\\{c}" if c in r"\.+*?()|[]{}^$" else c for c in text)


def _ups(found: Iterable[Series], targets: Sequence[Labels], start_ms: int, end_ms: int) -> Iterable[_Up]:
    for one in found:
        labels = {(name, value) for name, value in one.metric.items() if name != "__name__"}
        good: list[int] = []
        bad: list[int] = []
        for at, value in one.values:
            ms = round(at * 1000)
            if start_ms <= ms < end_ms:
                (good if value == "1" else bad).append(ms)
        for target in targets:
            if labels <= target:
                yield _Up(target, good, bad)


def _cut(up: _Up, start_ms: int, end_ms: int) -> _Up:
    return _Up(up.target, *([ms for ms in times if start_ms <= ms < end_ms] for times in (up.good, up.bad)))


def _seen(ups: list[_Up]) -> BrokerScrape:
    good = sorted((up for up in ups if up.good), key=lambda up: (up.good[0], sorted(up.target)))
    if not good:
        if any(up.bad for up in ups):
            return BrokerScrape(None, None, "unreachable", "Prometheus could not scrape it at that time")
        return BrokerScrape(None, None, "no_samples", "Prometheus did not scrape it at that time")
    first = good[0]
    for other in good[1:]:
        # two scrapers of one exporter are the same instance; an instance that came after another one is not beside it
        if _instance(other) != _instance(first) and other.good[0] < first.good[-1]:
            both = f"{_instance(first)[:60]!r} and {_instance(other)[:60]!r}"
            return BrokerScrape(
                None, None, "ambiguous", f"two targets at once are this broker: {both}; narrow the selector"
            )
    return BrokerScrape(first.target, first.good[0])


def _instance(up: _Up) -> str:
    return dict(up.target).get("instance", "")
