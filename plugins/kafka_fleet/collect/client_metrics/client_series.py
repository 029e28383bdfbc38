"""Series of metrics of clients: takes a window of them, gives rows of `client_metrics`.

Of what clients push (KIP-714) brokers ask for increases, and what stands between them and Prometheus adds these up: a
counter is of one client at one receiver. Of a client whose JVM has an exporter it is the client's own, and client.id
and the exporter's address tell the client. A series without a client is left out, and so is what two series give.
"""

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from kafka_fleet.collect.connections.prometheus import CLUSTER_LABELS, Prometheus, promql_string
from kafka_fleet.schema.metric_names import Names
from kafka_fleet.schema.metric_spelling import exporter_name

MOST = 20_000  # rows of a sweep
RELEASE = "software_version"
COUNTERS = ("record_sends", "record_errors", "record_retries")
LARGEST = 2.0**53  # beyond it a sample is no whole number
_Key = tuple[str | None, str | None, str | None, str | None]


class Pushed(NamedTuple):
    """Rows, and why there are none or not all of them; None: nothing is missing, or no Prometheus is declared."""

    rows: list[dict[str, Any]]
    detail: str | None = None


def clients_selectors(cluster: str, given: str | None, names: Names) -> list[str]:
    """Selectors to try in order, braces included, until one finds the cluster's series of pushed metrics.

    given: matchers without braces; None: a label `cluster` or `kafka_cluster` with the cluster's id has to say so.
    """
    labels = [f"{label}={promql_string(cluster)}" for label in CLUSTER_LABELS]
    named = f"__name__=~{promql_string(_expression(names))}"
    whose = labels if given is None else [given.strip().rstrip(",")]
    return [f"{{{named},{one}}}" if one else f"{{{named}}}" for one in whose] if names.clients else []


def client_rows(
    server: Prometheus, selector: str, names: Names, start_ms: int, end_ms: int, newest: bool = False
) -> Pushed:
    """Rows of the first samples of a window, or of the newest; of MOST clients and topics at most.

    start_ms, end_ms: since epoch, the end is not in the window. Raises Failure.
    """
    found: dict[_Key, dict[str, Any]] = {}
    twice: set[tuple[_Key, str]] = set()
    for key, column, at, value in _samples(server, selector, names, start_ms, end_ms, newest):
        row = found.setdefault(key, {"at": at})
        row["at"] = max(row["at"], at)
        if column in row:
            twice.add((key, column))
        row[column] = value
    for key, column in twice:
        found[key][column] = None
    kept = sorted(found, key=lambda key: tuple(one or "" for one in key))[:MOST]
    rows = [
        dict(zip(("client_id", "client_instance_id", "instance", "topic"), key, strict=True))
        | {"read_at": datetime.fromtimestamp(found[key].pop("at") / 1000, UTC)}
        | found[key]
        for key in kept
    ]
    left = len(found) - len(kept)
    return Pushed(rows, f"{left:,} clients and topics are not read, too many" if left else None)


def _samples(
    server: Prometheus, selector: str, names: Names, start_ms: int, end_ms: int, newest: bool
) -> Iterator[tuple[_Key, str, int, float | str]]:
    for one in server.samples(selector, end_ms - 1, end_ms - start_ms):
        name = exporter_name(one.metric.get("__name__", ""))
        column = RELEASE if name in names.releases else names.clients.get(name)
        key = _key(one.metric, names, name in names.scraped)
        inside = [(at, value) for at, value in one.values if start_ms <= at * 1000 < end_ms]
        if column is None or not inside or not (key[0] or key[1]):
            continue
        at, text = inside[-1 if newest else 0]
        value = one.metric.get("version") if column == RELEASE else _number(text, column in COUNTERS)
        if value is not None:
            yield key, column, round(at * 1000), value


def _key(metric: Mapping[str, str], names: Names, scraped: bool) -> _Key:
    own = {exporter_name(label): value for label, value in metric.items() if value}

    def told(column: str) -> str | None:
        return next((own[label] for label in names.client_labels.get(column, ()) if label in own), None)

    client, process, instance = told("client_id"), told("client_instance_id"), told("instance")
    if scraped and client and instance and not process:
        process = f"{client}@{instance}"
    return client, process, instance, told("topic")


def _number(text: str, whole: bool) -> float | None:
    """A sample that can be measured; None for NaN, which Kafka's averages are without a batch."""
    try:
        value = float(text)
    except ValueError:
        return None
    if not (math.isfinite(value) and 0 <= value <= LARGEST):
        return None
    return round(value) if whole else value


def _expression(names: Names) -> str:
    """Prometheus from 3.0 on may keep the dots of OTLP."""
    pushed = [name.replace("_", "[._]") for name in sorted(names.clients.keys() - names.scraped)]
    return "(?i:" + "|".join([*pushed, *sorted(names.scraped)]) + ")"
