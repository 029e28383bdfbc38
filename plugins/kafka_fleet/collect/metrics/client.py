"""One broker over its metrics endpoint: takes its URL, gives rows of raw tables and one outcome.

One GET per sweep, read as a stream. An exporter shows what its rules let through: what it leaves out is missing, and
the sweep is `partial`, unless the rules are this project's own, whose absent series are absent MBeans.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from kafka_fleet.collect.connections.certificates import Certificates
from kafka_fleet.collect.connections.http import Endpoint, Failure, Limits
from kafka_fleet.collect.jolokia.bulks import RETRIED
from kafka_fleet.collect.jolokia.client import NEEDED, BrokerSweep, read_outcome
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.collect.metrics.clock import age_of, date_of
from kafka_fleet.collect.metrics.exposition import Exposition
from kafka_fleet.collect.metrics.left_out import MAKER, left_out, left_out_sentence, unseen
from kafka_fleet.collect.metrics.reading import Reading
from kafka_fleet.collect.metrics.series import without_counts
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

ACCEPT = {"Accept": "text/plain;version=0.0.4, application/openmetrics-text;q=0.5, */*;q=0.1"}
METADATA = "__cluster_metadata"
EVERYWHERE = ("type=app-info", "type=RequestMetrics", "type=socket-server-metrics")  # in controllers as in brokers
SHIFT_S = 3.0  # what whole seconds and the way explain of an age
SOME_LABELLED = "some of its series have labels of their own besides Kafka's, and were not read"
MOST_AGE_S = 300.0  # values that are older are those of a cache


def sweep_metrics(
    url: str,
    credentials: Credentials,
    limits: Limits,
    ready: Callable[[], object] = lambda: None,
    certificates: Certificates | None = None,
) -> BrokerSweep:
    """The read of one broker. Never raises for what the far side does: the outcome says it.

    ready: waits until the endpoint may be asked, which counts the connections of the broker's clients.
    certificates: takes what the endpoint shows.
    """
    begun = time.monotonic()
    ready()
    with Endpoint(url, credentials, limits, certificates, ACCEPT) as endpoint:
        try:
            try:
                found = _read(endpoint, url)
            except Failure as failure:
                if failure.kind not in RETRIED:
                    raise
                found = _read(endpoint, url)
        except Failure as failure:
            seconds = time.monotonic() - begun
            return BrokerSweep("failed", failure.kind, failure.detail, None, seconds, endpoint.bytes, Rows(), [], None)
        return found._replace(seconds=time.monotonic() - begun, bytes=endpoint.bytes)


def _read(endpoint: Endpoint, url: str) -> BrokerSweep:
    """One answer. Raises Failure for what is none."""
    reading, sent, begun = Reading(), datetime.now(UTC), time.monotonic()
    text = Exposition(reading.wanted, reading.take)
    first: list[float] = []

    def take(piece: bytes) -> None:
        if not first:
            first.append(time.monotonic())
        text.feed(piece)

    headers = endpoint.read(url, take)
    text.end()
    waited = (first or [begun])[0] - begun  # for the exporter's own read; then the text comes
    answered, middle = sent + timedelta(seconds=waited), sent + timedelta(seconds=waited / 2)
    openmetrics = "openmetrics" in headers.get("content-type", "")
    date = date_of(headers)
    reading.finish()
    age = age_of(reading, headers, date or answered.timestamp(), openmetrics)
    if age > MOST_AGE_S:
        raise Failure(
            "stale",
            f"its values are {age:.0f} s older than the answer: a cache is between, or the broker's clock was set",
        )
    read_at = answered - timedelta(seconds=age) if age > SHIFT_S else middle
    cached = headers.get("age", "0").strip("0") != ""  # a cache keeps the Date of what it keeps
    skew = date - answered.timestamp() if date is not None and not cached else None
    return _swept(reading, read_at, skew)


def _swept(reading: Reading, read_at: datetime, skew: float | None) -> BrokerSweep:
    rows = reading.rows
    if not reading.of_kafka or (reading.labelled and not reading.plain):
        raise Failure("protocol", reading.nothing())
    broker = rows.by_table["broker_metrics"].setdefault((), {})
    if broker.get("jvm_start_ms") is None and broker.get("app_start_ms") is None:
        raise Failure("not_exported", "it does not show when the process began, without which no restart is known")
    missing = unseen(reading)
    if not reading.complete:
        missing += [_mbean(column) for column in without_counts(rows, reading.names, reading.shown)]
    missing = list(dict.fromkeys(missing))
    outcome, detail = read_outcome(rows, [])
    gone = [mbeans.mbean_of("partitions", name) for name in NEEDED if not rows.count("partitions", name)]
    if outcome != "truncated" and gone and _holds_partitions(reading):
        outcome, detail = "truncated", "; ".join(f"no replica has {mbean}" for mbean in gone)
    if not reading.complete:
        always, _perhaps = left_out(missing, broker.get("release"))
        there = [bean for bean in always if _is_there(bean, reading)]
        said = left_out_sentence(there, reading.edition, reading.by_reporter)
        said = SOME_LABELLED if reading.labelled else said
        outcome, detail = "partial" if outcome == "ok" else outcome, "; ".join(filter(None, (detail, said)))
    return BrokerSweep(outcome, None, detail, read_at, 0.0, 0, rows, missing, skew, reading.node_ids)


def _holds_partitions(reading: Reading) -> bool:
    """Whether it is a broker with replicas: a controller has the log of the metadata, and none."""
    counted = reading.broker.get("partition_count")
    topics = {key[0] for key in reading.rows.by_table["partitions"]} - {METADATA}
    return bool(topics) or (isinstance(counted, int) and counted > 0)


def _is_there(bean: Bean, reading: Reading) -> bool:
    """Whether the node has the MBean: a controller that is no broker has few, one without replicas has none of them."""
    controller = any(mbean.startswith("kafka.controller:") for mbean in reading.seen)
    if controller and not any(MAKER in mbean for mbean in reading.seen):
        return any(part in bean.mbean for part in EVERYWHERE)
    return bean.table != "partitions" or _holds_partitions(reading)


def _mbean(column: str) -> str:
    table, _dot, name = column.partition(".")
    return mbeans.mbean_of(table, name)
