"""Log marks out of a Loki: takes a broker's streams and a span, gives what was counted of each log (query_range).

Loki is asked for candidates alone, lines that have some mark's text anywhere; what a mark is, is decided here, and the
lines are gone then. Loki takes the start of a span into it and leaves its end out, so that spans fit one another.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import msgspec

from kafka_fleet.collect.connections.http import Endpoint, Failure, Limits
from kafka_fleet.collect.connections.query_api import asked_twice, decoded, said_of
from kafka_fleet.collect.log_marks.kafka_log_marks.messages import message
from kafka_fleet.collect.log_marks.rows import Counted, Tally
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.config.log_marks import Loki
from kafka_fleet.knowledge.log_marks import Log, log_marks, marks_of

PAGE, PAGES = 1000, 20  # lines of an answer, and answers of one log in one sweep
STREAMS = timedelta(hours=24)  # a log that had no line for so long may be another's name
PARTS = 500_000
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")


class _Stream(msgspec.Struct):
    values: list[list[Any]] = []


class _Data(msgspec.Struct, rename="camel"):
    result_type: str
    result: msgspec.Raw


class _Lines(msgspec.Struct):
    status: str
    data: _Data


class _Series(msgspec.Struct):
    status: str
    data: list[Any] = []


def selector_of(template: str, broker: int, host: str | None) -> str:
    """The streams of one broker. Raises Failure: the host comes from the cluster, and may be any text."""
    if "{host}" in template and host is None:
        raise Failure("no_host", "the cluster does not list it, so its host is not known")
    if host is not None and not _HOST.fullmatch(host):
        raise Failure("forbidden", "its advertised host is no name or address")
    return template.replace("{host}", host or "").replace("{broker}", str(broker))


def read_loki(
    loki: Loki, log: Log, selector: str, start: datetime, end: datetime, credentials: Credentials, limits: Limits
) -> Counted:
    """Lines of one log from `start` up to `end`. Raises Failure, also where no stream has the selector's labels."""
    headers = {"X-Scope-OrgID": loki.tenant} if loki.tenant else {}
    with Endpoint(loki.url, credentials, limits, headers=headers) as endpoint:
        client = _Client(endpoint, loki.url.rstrip("/"))
        counted = Counted(start, end)
        query = f"{selector} |~ `{'|'.join(dict.fromkeys(log_marks()[name].find for name in marks_of(log)))}`"
        found = 0
        for at, text in client.lines(query, start, end):
            found += 1
            if found > PAGE * PAGES:
                counted.read_at = at  # the next sweep goes on here
                counted.detail = f"more than {PAGE * PAGES:,} lines: counted up to {at:%H:%M:%S} UTC"
                break
            _count(counted, log, text, at)
        if not found and not client.has_streams(selector, end):
            raise Failure("no_stream", f"no stream of the last {STREAMS // timedelta(hours=1)} h has these labels")
    return counted


def _count(counted: Counted, log: Log, text: str, at: datetime) -> None:
    said = message(text)
    for name in marks_of(log):
        mark = log_marks()[name]
        match = re.match(mark.expression, said)
        if match is None:
            continue
        number = int(match[1] or 0) if mark.number else None
        port = number if mark.number == "port" else None
        if port is None or port <= 65_535:
            counted.tallies.setdefault((name, port), Tally()).add(at, None if port is not None else number)
        return


class _Client:
    """Requests of one log, on one connection, before one deadline."""

    def __init__(self, endpoint: Endpoint, url: str) -> None:
        self._endpoint, self._url = endpoint, url

    def lines(self, query: str, start: datetime, end: datetime) -> Iterator[tuple[datetime, str]]:
        """Time and text of the lines, oldest first, page by page; lines of the time at which a page ends come once."""
        begin, last, seen = _ns(start), 0, 0
        while True:
            form = {"query": query, "start": begin, "end": _ns(end), "limit": PAGE, "direction": "forward"}
            answer = _decoded(self._get("/loki/api/v1/query_range", form), _Lines)
            if answer.data.result_type != "streams":
                raise Failure("protocol", "the answer holds no lines")
            page = sorted(_entries(_decoded(answer.data.result, list[_Stream])), key=lambda one: one[0])
            skip = seen
            for at, text in page:
                if at == last and skip:
                    skip -= 1
                    continue
                seen = seen + 1 if at == last else 1
                last = at
                yield datetime.fromtimestamp(at // 1000 / 1e6, UTC), text
            if len(page) < PAGE:
                return
            if last == begin and page[-1][0] == begin:  # more lines of one nanosecond than an answer takes
                last, seen = last + 1, 0
            begin = last

    def has_streams(self, selector: str, end: datetime) -> bool:
        """Whether there is a stream with these labels."""
        form = {"match[]": selector, "start": _ns(end - STREAMS), "end": _ns(end)}
        return bool(_decoded(self._get("/loki/api/v1/series", form), _Series).data)

    def _get(self, path: str, form: dict[str, Any]) -> bytearray:
        try:
            return asked_twice(lambda: self._endpoint.send("GET", f"{self._url}{path}?{urlencode(form)}"))
        except Failure as failure:
            said = said_of(failure, "Loki", "are the selectors and the tenant right?")
            raise Failure(failure.kind, said) from None


def _ns(at: datetime) -> int:
    return round(at.timestamp() * 1e6) * 1000


def _entries(streams: list[_Stream]) -> Iterator[tuple[int, str]]:
    for stream in streams:
        for value in stream.values:  # [nanoseconds as text, line], and with some versions structured metadata
            match value:
                case [str() as at, str() as line, *_] if re.fullmatch("[0-9]{1,19}", at):
                    yield int(at), line
                case _:
                    raise Failure("protocol", "the answer has not the form of Loki's API")


def _decoded(body: bytes | bytearray | msgspec.Raw, shape: Any) -> Any:
    return decoded(body, shape, "Loki", PARTS)
