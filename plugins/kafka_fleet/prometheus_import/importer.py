"""Sweeps of past days: takes a cluster, days and a Prometheus, lands a sweep per window that has none, says what came.

A window whose samples could not be had is left open, so that a later import can fill it. What Prometheus did not scrape
is no sweep; a broker that it did not scrape while it scraped others is landed as failed.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kafka_fleet import __version__
from kafka_fleet.collect.client_metrics.client_series import Pushed
from kafka_fleet.collect.connections.http import Failure
from kafka_fleet.collect.connections.prometheus import Prometheus
from kafka_fleet.collect.jolokia.client import BrokerSweep
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.collect.sweep_rows import broker_tables, declaration, leave_out_parts
from kafka_fleet.prometheus_import.pushed import pushed_rows, pushed_series
from kafka_fleet.prometheus_import.scrape_rows import Scrape, read_scrape
from kafka_fleet.prometheus_import.scrapes import BrokerScrape, scrapes
from kafka_fleet.prometheus_import.targets import ClusterTargets, Labels, find_targets, matchers
from kafka_fleet.schema.arrow import Item
from kafka_fleet.schema.metric_names import Names
from kafka_fleet.store.raw.manifests import sweep_times
from kafka_fleet.store.raw.retry_landing import land_again
from kafka_fleet.store.raw.tombstones import retired

BROKERS = 4  # read at a time: the samples of so many are in memory
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
GIVEN_UP = 3  # windows in a row that Prometheus does not answer for


class Source(NamedTuple):
    """The server, its name for the sweeps' rows, and the metric names that are known."""

    server: Prometheus
    label: str
    names: Names


class Unreadable(Exception):
    """What a day has already cannot be read; one sentence."""


@dataclass
class Imported:
    """What the import of one cluster came to: numbers of windows, and sentences on what was not had."""

    cluster: str
    landed: int = 0
    there: int = 0
    empty: int = 0
    failed: int = 0
    said: dict[str, None] = field(default_factory=dict)  # in order, each once

    def summary(self) -> str:
        """One line for a terminal."""
        return (
            f"{self.cluster}: {self.landed} sweeps imported, {self.there} were there, "
            f"{self.empty} without samples, {self.failed} not answered"
        )

    def say(self, sentence: str) -> None:
        """Keep a sentence."""
        self.said.setdefault(sentence)


def import_days(
    source: Source, whose: ClusterTargets, home: Path, days: list[date], step: timedelta, say: Callable[[str], None]
) -> Imported:
    """Import the days of one cluster in their order. Raises OSError when the disk does; all else is said."""
    result = Imported(whose.cluster.id)
    for day in days:
        try:
            _day(source, whose, home, day, round(step.total_seconds() * 1000), result, say)
        except Unreadable as unreadable:
            result.failed += 1
            result.say(f"{day}: {unreadable}")
        except Failure as failure:
            result.failed += 1
            result.say(f"{day}: {failure}")
            break  # the following days would fail in the same way
    return result


def _day(
    source: Source,
    whose: ClusterTargets,
    home: Path,
    day: date,
    step_ms: int,
    result: Imported,
    say: Callable[[str], None],
) -> None:
    start = _ms(datetime(day.year, day.month, day.day, tzinfo=UTC))
    end = min(start + DAY_MS, _ms(datetime.now(UTC)))
    try:
        if retired(home, day):
            raise Unreadable("its raw is being deleted; kafka-fleet retain --delete ends that")
        taken = {(_ms(at) - start) // step_ms for at in sweep_times(home, day, whose.cluster.id)}
    except ValueError as error:
        raise Unreadable(str(error)) from None
    windows = range(start, end - step_ms + 1, step_ms)
    open_ = [at for at in windows if (at - start) // step_ms not in taken]
    result.there += len(windows) - len(open_)
    if not open_:
        return
    found = find_targets(source.server, whose, source.names, start, end)
    for sentence in found.untold:
        result.say(f"{day}: {sentence}")
    if not found.by_broker:
        result.empty += len(open_)
        result.say(f"{day}: Prometheus has no broker of this cluster; see docs/history.md on how brokers are told")
        return
    shown = {
        target: source.server.names(f"{{{matchers(target)}}}", start, end)
        for targets in found.by_broker.values()
        for target in targets
    }
    clients = pushed_series(source.server, source.names, whose.cluster.id, whose.choice.clients, (start, end))
    span = max(HOUR_MS // step_ms, 1) * step_ms
    rest, silent = set(open_), 0
    for begin in range(start, end, span):
        wanted = sorted(at for at in rest if begin <= at < begin + span)
        if not wanted:
            continue
        seen = scrapes(source.server, found.by_broker, wanted[0], wanted[-1] + step_ms, step_ms)
        for at in wanted:
            if at not in seen:
                result.empty += 1
                continue
            try:
                pushed = pushed_rows(source.server, source.names, clients, (at, at + step_ms))
                outcome = _sweep(source, whose, home, at, seen[at], shown, pushed, result)
            except Failure as failure:
                result.failed, silent = result.failed + 1, silent + 1
                result.say(f"{_at(at):%Y-%m-%d %H:%M:%S}: {failure}")
                if silent == GIVEN_UP:
                    raise
                continue
            silent = 0
            result.landed += outcome == "landed"
            result.there += outcome == "there"
            result.empty += outcome == "empty"
        say(f"{whose.cluster.id}: {_at(begin):%Y-%m-%d %H:%M}, {result.landed} sweeps imported")


def _sweep(
    source: Source,
    whose: ClusterTargets,
    home: Path,
    at_ms: int,
    seen: Mapping[int, BrokerScrape],
    shown: Mapping[Labels, list[str]],
    pushed: Pushed,
    result: Imported,
) -> Literal["landed", "there", "empty"]:
    """Land the sweep of one window; "empty" when it has no broker, "there" when another import was faster."""

    def swept(broker: int) -> BrokerSweep:
        one = seen.get(broker)
        if one is None or one.target is None or one.at_ms is None:
            kind, detail = (one.kind, one.detail) if one else ("no_samples", "Prometheus has no target of this broker")
            return BrokerSweep("failed", kind, detail, None, 0.0, 0, Rows(), [], None)
        return read_scrape(source.server, source.names, Scrape(broker, one.target, shown[one.target], one.at_ms))

    cluster = whose.cluster
    brokers = sorted({*seen, *cluster.agents.brokers})
    with ThreadPoolExecutor(BROKERS) as pool:
        found = dict(zip(brokers, pool.map(swept, brokers), strict=True))
    for broker, one in found.items():
        if one.kind in ("not_exported", "ambiguous"):
            result.say(f"broker {broker}: {one.detail}")
    times = [one.read_at for one in found.values() if one.read_at is not None]
    if not times and not any(one.kind == "unreachable" for one in found.values()):
        return "empty"  # nothing of it says anything of the brokers
    tables: dict[str, list[Item]] = broker_tables(cluster, {}, dict.fromkeys(brokers), found)
    leave_out_parts(tables, found)
    tables["client_metrics"] = list(pushed.rows)
    if pushed.detail:
        result.say(f"{_at(at_ms):%Y-%m-%d}: client metrics: {pushed.detail}")
    tables["declarations"] = [declaration(cluster)]
    tables["sweeps"] = [_row(source, max(times, default=_at(at_ms)), pushed)]
    return "landed" if land_again(home, cluster.id, _at(at_ms), tables) else "there"


def _row(source: Source, ended: datetime, pushed: Pushed) -> dict[str, Any]:
    return {
        "ended_at": ended,
        "admin_outcome": "failed",
        "admin_detail": "imported from Prometheus, which has nothing of what only the Kafka protocol tells",
        "admin_missing": ["every admin table"],
        "client_metrics_detail": pushed.detail,
        "collector_version": __version__,
        "imported_from": source.label,
    }


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def _at(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
