"""Prometheus' HTTP API: takes selectors and times, gives raw samples, series and names, or a named failure.

Every request goes through the collector's own transport: one deadline, one cap on bytes, no redirect, no proxy, TLS
checked. An answer that Prometheus itself calls incomplete is a failure: what is left out would look like 0.
"""

import re
from collections.abc import Iterable
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from kafka_fleet.collect.connections.http import Endpoint, Failure, Limits
from kafka_fleet.collect.connections.query_api import asked_twice, decoded
from kafka_fleet.config.credentials import Credentials

FORM = "application/x-www-form-urlencoded"
CLUSTER_LABELS = ("cluster", "kafka_cluster")  # of which one has the id of the cluster that a series is of
PARTS = 2_000_000  # lists, objects and commas of an answer; a sample has three
_VERSION = re.compile(r"[0-9A-Za-z.+~-]{1,40}")
Shape = TypeVar("Shape")


class Series(msgspec.Struct):
    """Raw samples of one series: (seconds since epoch, value as text), oldest first."""

    metric: dict[str, str]
    values: list[tuple[float, str]]


class _Matrix(msgspec.Struct, rename="camel"):
    result_type: str
    result: list[Series]


class _Build(msgspec.Struct):
    version: str = ""


class _Answer(msgspec.Struct):
    status: str
    data: msgspec.Raw = msgspec.Raw(b"null")
    warnings: list[Any] | None = None


def _decoded(body: bytes | bytearray | msgspec.Raw, shape: type[Shape]) -> Shape:
    found: Shape = decoded(body, shape, "Prometheus", PARTS)
    return found


def promql_string(text: str) -> str:
    """A label value as a string of PromQL, whatever is in it."""
    escaped = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{escaped}"'


class Prometheus:
    """One server. Requests are made one by one, each on a connection of its own; may be shared by threads."""

    def __init__(self, url: str, credentials: Credentials, limits: Limits) -> None:
        self.url, self.credentials, self.limits = url.rstrip("/"), credentials, limits

    def version(self) -> str | None:
        """The server's version; None where it does not tell. Raises Failure when it does not answer at all."""
        try:
            found = _decoded(self._data("/api/v1/status/buildinfo", []), _Build).version
        except Failure as failure:
            if failure.kind == "http" and "404" in failure.detail:
                return None  # servers that speak this API without being Prometheus
            raise
        return found if _VERSION.fullmatch(found) else None

    def samples(self, selector: str, end_ms: int, back_ms: int) -> list[Series]:
        """Raw samples of the `back_ms` up to `end_ms` (ms since epoch), as they were scraped. Raises Failure."""
        form = [("query", f"{selector}[{back_ms}ms]"), ("time", f"{end_ms / 1000:.3f}")]
        found = _decoded(self._data("/api/v1/query", form), _Matrix)
        if found.result_type != "matrix":
            raise Failure("protocol", "the answer holds no samples")
        return found.result

    def series(self, selector: str, start_ms: int, end_ms: int) -> list[dict[str, str]]:
        """Labels of every series that had samples between two times. Raises Failure."""
        return _decoded(self._data("/api/v1/series", _span(selector, start_ms, end_ms)), list[dict[str, str]])

    def names(self, selector: str, start_ms: int, end_ms: int) -> list[str]:
        """Metric names of the series that had samples between two times. Raises Failure."""
        span = _span(selector, start_ms, end_ms)
        return _decoded(self._data("/api/v1/label/__name__/values", span, "GET"), list[str])

    def _data(self, path: str, form: Iterable[tuple[str, str]], method: str = "POST") -> msgspec.Raw:
        form = list(form)
        answer = asked_twice(lambda: _decoded(self._sent(path, form, method), _Answer))
        if answer.status != "success":
            raise Failure("protocol", "Prometheus answers with an error")
        if answer.warnings:
            raise Failure("partial", "Prometheus says that its answer is not complete")
        return answer.data

    def _sent(self, path: str, form: list[tuple[str, str]], method: str) -> bytearray:
        text = urlencode(form)
        with Endpoint(self.url, self.credentials, self.limits) as endpoint:
            if method == "GET" or not form:
                return endpoint.send("GET", f"{self.url}{path}" + (f"?{text}" if text else ""))
            return endpoint.send("POST", self.url + path, text.encode(), FORM)


def _span(selector: str, start_ms: int, end_ms: int) -> list[tuple[str, str]]:
    return [("match[]", selector), ("start", f"{start_ms / 1000:.3f}"), ("end", f"{end_ms / 1000:.3f}")]
