"""One scrape of one broker: takes a target and the time of the scrape, gives the rows of a sweep over Jolokia.

Only samples of that very scrape are taken, as they were scraped. What the exporter does not show is missing; where the
facts would take its absence for 0, what depends on it is missing as well.
"""

import time
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from kafka_fleet.collect.connections.prometheus import Prometheus, Series, promql_string
from kafka_fleet.collect.jolokia import columns
from kafka_fleet.collect.jolokia.client import BrokerSweep, read_outcome
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.collect.metrics.series import fill_means, take_series, without_counts
from kafka_fleet.prometheus_import.targets import Labels, matchers, own_labels
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.metric_names import Names

LARGE = ("partitions", "fetcher_lags")  # tables with a row per replica
FEW = 2_000  # replicas whose samples are asked for in one request; beyond that each metric has a request of its own


class Scrape(NamedTuple):
    """A target of one broker, the metric names that it had on the day, and when it was scraped (ms since epoch)."""

    broker: int
    target: Labels
    shown: Collection[str]
    at_ms: int


def missing_metrics(names: Names, shown: Collection[str]) -> list[str]:
    """Sentences on what cannot be missed and is not among a target's metrics; empty where nothing is."""
    there = {name.lower() for name in shown}
    return [
        f"no metric for {_mbean(column)}: {why}"
        for column, why in names.required.items()
        if not names.of(column) & there
    ]


def _mbean(column: str) -> str:
    table, _dot, name = column.partition(".")
    return mbeans.mbean_of(table, name)


def read_scrape(server: Prometheus, names: Names, scrape: Scrape) -> BrokerSweep:
    """The samples of one scrape. Raises Failure when Prometheus does not answer, or not completely."""
    started = time.monotonic()
    lacking = missing_metrics(names, scrape.shown)
    if lacking:
        return _nothing("not_exported", "; ".join(lacking))
    known = [name for name in scrape.shown if name.lower() in names.sources]
    large = [name for name in known if {s.bean.table for s in names.sources[name.lower()]} <= set(LARGE)]
    rows = Rows()
    seen: set[str] = set()
    _take(_samples(server, scrape, set(known) - set(large)), names, scrape, rows, seen)
    replicas = _broker(rows).get("partition_count")
    together = isinstance(replicas, int) and replicas <= FEW
    for group in [large] if together else [[name] for name in large]:
        part = Rows()
        _take(_samples(server, scrape, group), names, scrape, part, seen)
        _as_columns(part, rows)
    if not seen:
        return _nothing("no_samples", "Prometheus has `up` of this scrape and none of its samples")
    if _broker(rows).get("jvm_start_ms") is None:
        return _nothing("no_samples", f"this scrape has no sample of {_mbean('broker_metrics.jvm_start_ms')}")
    fill_means(rows)
    missing = _missing(names, scrape, rows, seen)
    outcome, detail = read_outcome(rows, _faults(names, scrape))
    at = datetime.fromtimestamp(scrape.at_ms / 1000, UTC)
    return BrokerSweep(outcome, None, detail, at, time.monotonic() - started, 0, rows, missing, None)


def _nothing(kind: str, detail: str) -> BrokerSweep:
    return BrokerSweep("failed", kind, detail, None, 0.0, 0, Rows(), [], None)


def _broker(rows: Rows) -> dict[str, mbeans.Value]:
    return next(iter(rows.by_table["broker_metrics"].values()), {})


def _samples(server: Prometheus, scrape: Scrape, metrics: Iterable[str]) -> list[Series]:
    wanted = sorted(metrics)
    if not wanted:
        return []
    named = f"__name__=~{promql_string('|'.join(wanted))}"
    # all samples of a scrape have one time, and `up` has it too
    found = server.samples(f"{{{named},{matchers(scrape.target)}}}", scrape.at_ms, 1)
    return [one for one in found if one.metric.get("__name__") in wanted]


def _take(found: list[Series], names: Names, scrape: Scrape, rows: Rows, seen: set[str]) -> None:
    for one in found:
        text = next((value for at, value in one.values if round(at * 1000) == scrape.at_ms), None)
        sources = names.sources.get(one.metric.get("__name__", "").lower(), [])
        if text is None or not sources:
            continue
        own = own_labels(one.metric, scrape.target)
        take_series(rows, sources, own, one.metric, text, seen)


def _as_columns(part: Rows, rows: Rows) -> None:
    """Move rows to columns: a broker with 20,000 replicas is 100,000 values."""
    for name, found in part.by_table.items():
        for bean in mbeans.tables()[name].beans if found else ():
            column = bean.columns[0].name
            own = {key: row for key, row in found.items() if column in row}
            if own:
                rows.add_part(columns.from_rows(bean, own))
    rows.unusable += part.unusable
    rows.truncated += part.truncated


def _missing(names: Names, scrape: Scrape, rows: Rows, seen: set[str]) -> list[str]:
    """MBeans without a sample. Counters that Kafka makes at the first event are 0 where the exporter shows others."""
    there = {name.lower() for name in scrape.shown}
    missing = []
    for bean in (bean for bean in mbeans.readable() if bean.mbean not in seen):
        lazy = any(names.of(f"{bean.table}.{column.name}") & there for column in bean.columns if column.lazy)
        if not (lazy and rows.add_absent(bean)):
            missing.append(bean.mbean)
    missing += [_mbean(column) for column in without_counts(rows, names, there)]
    return list(dict.fromkeys(missing))


def _faults(names: Names, scrape: Scrape) -> list[str]:
    """What the exporter shows nothing of, so that the broker's read is called partial."""
    there = {name.lower() for name in scrape.shown}
    absent = [
        name
        for name, table in mbeans.tables().items()
        if not any(names.of(f"{name}.{column}") & there for column in table.columns)
    ]
    return [f"the exporter shows no metric of {', '.join(absent)}"] if absent else []
