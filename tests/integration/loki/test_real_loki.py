"""A real Loki gives the log marks that the server of the other tests gives, from the same lines."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple

import pytest

from kafka_fleet.collect.log_marks import loki as module
from kafka_fleet.collect.log_marks import sweep_marks
from support.builders.log_mark_sweeps import FLOOD, SEGMENT, UNCLEAN, cluster, short, swept
from support.live.go_loki import RealLoki, real_loki
from support.servers.loki import Labels, Loki, loki_server

pytestmark = [pytest.mark.sampled("loki"), pytest.mark.timeout(3600)]  # it is built once
SELECTORS = {"broker": '{app="kafka", host="{host}"}', "kernel": '{job="kernel", node="{broker}"}'}
NOW = float(round(time.time()))  # a Loki in its first hours: what it has is in the memory of its ingester
EDGE = NOW - 90
STREAMS: list[tuple[Labels, list[tuple[float, str]]]] = [
    (
        {"app": "kafka", "host": "b1"},
        [(NOW - 100, SEGMENT), (NOW - 99, UNCLEAN), *[(NOW - 95, SEGMENT)] * 2, (EDGE, SEGMENT)],
    ),
    ({"app": "kafka", "host": "b2"}, [(NOW - 4000, "[2026-11-26 01:00:00,000] INFO started (k)")]),
    ({"job": "kernel", "node": "1"}, [(NOW - 80, FLOOD)]),
    *(  # several streams with lines at the same moments
        (
            {"app": "kafka", "host": "paged", "part": str(part)},
            [(NOW - 300 + i // 2, f"{SEGMENT} {part} {i}") for i in range(30)],
        )
        for part in range(3)
    ),
]


class Clock(datetime):
    """Stands at NOW, or where a test sets it."""

    at = NOW

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # datetime's own is of its subclass
        return datetime.fromtimestamp(cls.at, tz)


class Both(NamedTuple):
    """The server of the other tests and the real one, with the same lines."""

    stand_in: Loki
    real: RealLoki

    def rows(self, monkeypatch: pytest.MonkeyPatch, hosts: dict[int, str], **more: Any) -> list[list[dict[str, Any]]]:
        """What a sweep reads of each."""
        monkeypatch.setattr(sweep_marks, "datetime", Clock)
        entry = more.pop("loki", {})
        made = [cluster(loki={"url": one.url, "selectors": SELECTORS, **entry}) for one in self]
        return [swept(one, hosts, **more) for one in made]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    with ExitStack() as stack:
        found = Both(
            stack.enter_context(loki_server(tenants=True)),
            stack.enter_context(real_loki(tmp_path_factory.mktemp("loki"), tenant="team-a")),
        )
        for labels, lines in STREAMS:
            for one in found:
                one.push(labels, *lines)
        yield found


def test_lines_are_counted_alike_and_a_stream_that_is_not_there_is_told(both, monkeypatch):
    hosts = {1: "b1", 2: "b2", 3: "elsewhere"}
    stand_in, real = both.rows(monkeypatch, hosts, loki={"tenant": "team-a"})
    assert real == stand_in
    assert (1, "broker", "ok", "recovered_segment", None, 3, None) in short(real)
    assert (1, "broker", "ok", "unclean_start", None, 1, 12) in short(real)
    assert (1, "kernel", "ok", "syn_flood", 9092, 1, None) in short(real)
    failed = {(row["broker"], row["log"]): row["detail"] for row in real if row["outcome"] == "failed"}
    gone = "no_stream: no stream of the last 24 h has these labels"
    assert failed == {(2, "kernel"): gone, (3, "broker"): gone, (3, "kernel"): gone}


def test_the_start_of_a_span_is_in_it_and_its_end_is_not(both, monkeypatch):
    cut = datetime.fromtimestamp(EDGE, UTC)
    since = both.rows(monkeypatch, {1: "b1"}, loki={"tenant": "team-a"}, unread={(1, "broker"): cut})
    assert since[0] == since[1]
    assert (1, "broker", "ok", "recovered_segment", None, 1, None) in short(since[1])
    monkeypatch.setattr(Clock, "at", EDGE + 30.0)  # a sweep reads up to half a minute before it
    until = both.rows(monkeypatch, {1: "b1"}, loki={"tenant": "team-a"})
    assert until[0] == until[1]
    assert (1, "broker", "ok", "recovered_segment", None, 2, None) in short(until[1])


@pytest.mark.parametrize(
    ("page", "lines"),
    [(4, 60), (7, 90), (1000, 90)],
    ids=["of six lines of a moment four", "seven", "all"],
)
def test_pages_are_read_to_the_end_and_each_line_counts_once(both, monkeypatch, page, lines):
    monkeypatch.setattr(module, "PAGE", page)
    stand_in, real = both.rows(monkeypatch, {1: "paged"}, loki={"tenant": "team-a"})
    assert real == stand_in
    assert (1, "broker", "ok", "recovered_segment", None, lines, None) in short(real)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({}, "auth: HTTP 401"),
        ({"tenant": "team-b"}, "no_stream: "),
        (
            {"tenant": "team-a", "selectors": {"broker": '{host=~"({host})?"}'}},
            "http: the Loki refuses the query (HTTP 400)",
        ),
        (
            {"tenant": "team-a", "selectors": {"broker": '{host=~"({host}"}'}},
            "http: the Loki refuses the query (HTTP 400)",
        ),
    ],
    ids=["no tenant", "another tenant", "nothing matches too", "no expression"],
)
def test_what_it_refuses_is_told_as_the_other_tests_have_it(both, monkeypatch, entry, told):
    _stand_in, real = both.rows(monkeypatch, {1: "b1"}, loki=entry)
    assert (real[0]["detail"] or "").startswith(told), real


def test_more_lines_than_its_limit_are_refused_as_by_the_other_server(both, monkeypatch):
    monkeypatch.setattr(module, "PAGE", 5001)
    stand_in, real = both.rows(monkeypatch, {1: "b1"}, loki={"tenant": "team-a"})
    assert real == stand_in
    assert real[0]["detail"].startswith("http: the Loki refuses the query (HTTP 400)")
