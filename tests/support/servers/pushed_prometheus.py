"""A Prometheus on loopback with series that a test pushes: raw samples of instant queries, as its API gives them.

A range selector takes its left end out of the range and the right one into it; `instead` is answered in place of all.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from support.servers.serving import answering

Labels = dict[str, str]
_QUERY = re.compile(r"\{(.*)\}\[(\d+)ms\]", re.DOTALL)
_MATCHER = re.compile(r'(\w+)(=~|=)"((?:[^"\\]|\\.)*)"')


class PushedPrometheus:
    """Series by labels; `login` is the header that it asks for."""

    def __init__(self) -> None:
        self.series: list[tuple[Labels, list[tuple[float, str]]]] = []
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.login: str | None = None
        self.instead: tuple[int, bytes] | None = None
        self.url = ""

    def push(self, name: str, labels: Labels, *samples: tuple[float, str]) -> None:
        """Add a series with the times of its samples, s since epoch."""
        self.series.append(({"__name__": name, **labels}, list(samples)))

    def answer(self, path: str, form: dict[str, str], headers: dict[str, str]) -> tuple[int, bytes]:
        """Status and body."""
        self.asked.append((path, form, headers))
        if self.instead is not None:
            return self.instead
        if self.login is not None and headers.get("Authorization") != self.login:
            return 401, b"canary unauthorized"
        query = _QUERY.fullmatch(form.get("query", ""))
        if path != "/api/v1/query" or query is None:
            return 404, b"404 page not found"
        end = float(form["time"])
        start = end - int(query[2]) / 1000
        found = []
        for labels, samples in self.series:
            inside = [[at, value] for at, value in samples if start < at <= end]
            if inside and _matches(labels, query[1]):
                found.append({"metric": labels, "values": inside})
        data = {"resultType": "matrix", "result": found}
        return 200, json.dumps({"status": "success", "data": data}).encode()


def _matches(labels: Labels, selector: str) -> bool:
    wanted = _MATCHER.findall(selector)
    assert wanted, "a selector without a matcher is refused"
    return all(
        re.fullmatch(text, labels.get(name, "")) if how == "=~" else labels.get(name) == text
        for name, how, text in wanted
    )


@contextmanager
def pushed_prometheus() -> Iterator[PushedPrometheus]:
    """A running server; `url` is its address."""
    one = PushedPrometheus()

    with answering(lambda path, form, headers: one.answer(path, dict(form), headers)) as one.url:
        yield one
