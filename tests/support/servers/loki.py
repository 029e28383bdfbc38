"""A Loki on loopback: streams of lines and its query API, as its documentation has them, with the faults a test sets.

query_range takes the start of a span into it and leaves its end out, sorts as `direction` says, gives at most `limit`
lines (100 by default) and refuses more than its own limit; errors are plain text. With tenants, a request names one.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from support.servers.serving import QuietHandler, serving

Labels = dict[str, str]
_QUERY = re.compile(r"(\{[^{}]*\})(?: \|~ `([^`]*)`)?")
_MATCHER = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Loki:
    """Streams by labels; `fail` gives status, headers and text of an answer in place of its own."""

    def __init__(self, tenants: bool = False, login: str | None = None) -> None:
        self.tenants, self.login, self.most = tenants, login, 5000
        self.streams: list[tuple[Labels, list[tuple[int, str]]]] = []
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.fail: Callable[[str, int], tuple[int, dict[str, str], bytes] | None] = lambda path, number: None
        self.url = ""

    def push(self, labels: Labels, *lines: tuple[float, str]) -> None:
        """Add a stream of lines with their times, s since epoch; of equal ones one is kept."""
        self.streams.append((labels, list(dict.fromkeys((round(at * 1e6) * 1000, text) for at, text in lines))))

    def answer(self, path: str, form: dict[str, str], headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        self.asked.append((path, form, headers))
        planned = self.fail(path, len(self.asked))
        if planned is not None:
            return planned
        if self.login is not None and headers.get("Authorization") != self.login:
            return 401, {"WWW-Authenticate": 'Basic realm="loki"'}, b"canary unauthorized"
        if self.tenants and "X-Scope-OrgID" not in headers:
            return 401, {}, b"no org id\n"
        if path == "/loki/api/v1/query_range":
            return self._lines(form)
        if path == "/loki/api/v1/series":
            start, end = int(form["start"]), int(form["end"])
            found = self._matching(form["match[]"])
            return self._json([labels for labels, lines in found if any(start <= at < end for at, _text in lines)])
        return 404, {}, b"404 page not found\n"

    def _matching(self, selector: str) -> list[tuple[Labels, list[tuple[int, str]]]]:
        wanted = dict(_MATCHER.findall(selector))
        return [one for one in self.streams if all(one[0].get(name) == text for name, text in wanted.items())]

    def _lines(self, form: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        query = _QUERY.fullmatch(form["query"])
        if query is None or not _MATCHER.search(query[1]):
            return 400, {}, b"parse error at line 1, col 9: syntax error: unexpected canary\n"
        limit = int(form.get("limit", "100"))
        if limit > self.most:
            text = f"max entries limit per query exceeded, limit > max_entries_limit ({limit} > {self.most})\n"
            return 400, {}, text.encode()
        start, end, backward = int(form["start"]), int(form["end"]), form.get("direction") != "forward"
        found = [
            (at, text, place)
            for place, (_labels, lines) in enumerate(self._matching(query[1]))
            for at, text in lines
            if start <= at < end and re.search(query[2] or "", text)
        ]
        found.sort(key=lambda one: one[0], reverse=backward)
        streams: dict[int, list[list[str]]] = {}
        for at, text, place in found[:limit]:
            streams.setdefault(place, []).append([str(at), text])
        return self._json(
            {
                "resultType": "streams",
                "result": [{"stream": {}, "values": values} for values in streams.values()],
                "stats": {"summary": {"bytesProcessedPerSecond": 0}},
            }
        )

    def _json(self, data: Any) -> tuple[int, dict[str, str], bytes]:
        return 200, {"Content-Type": "application/json"}, json.dumps({"status": "success", "data": data}).encode()


@contextmanager
def loki_server(**more: Any) -> Iterator[Loki]:
    """A running server; `url` is its address."""
    loki = Loki(**more)

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            status, headers, body = loki.answer(parts.path, dict(parse_qsl(parts.query)), dict(self.headers))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    with serving(Handler) as loki.url:
        yield loki
