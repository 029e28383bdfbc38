"""Answers that are no metrics, or too many: each costs its broker one sentence, within bounds of bytes and time."""

import time
import tracemalloc

import pytest

from kafka_fleet.collect.connections.http import Failure
from kafka_fleet.collect.metrics.exposition import LONGEST, Exposition, parse_labels, parse_sample
from support.builders.broker_sweeps import LIMITS, SHORT
from support.builders.metric_answers import ENOUGH, read_text, read_wire, recorded
from support.servers.hostile_answers import bomb, cut, endless, packed, trickle
from support.servers.jolokia_simulator import answer

OWN = recorded("own")
PAGE = b"<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>canary</body></html>"


@pytest.mark.parametrize(
    ("text", "kind", "about"),
    [
        (PAGE, "protocol", "no text of metrics"),
        (b'{"status": 200, "value": "canary"}', "protocol", "no text of metrics"),
        (b"", "protocol", "is empty"),
        (b"\n\n  \n", "protocol", "is empty"),
        (b"\x00\x01\x02canary", "protocol", "no text of metrics"),
        (b"# TYPE up gauge\nup 1\n", "protocol", "is this a Kafka broker?"),
        (b"# only comments\n", "protocol", "is this a Kafka broker?"),
        (b'kafka_server_replicamanager_value{name="LeaderCount",instance="b"} 1\n', "protocol", "labels of their own"),
        (b"x" * (LONGEST + 1), "protocol", "no text of metrics"),
        (b"up 1\nkafka_" + b"x" * (LONGEST + 1), "protocol", f"more than {LONGEST} bytes"),
    ],
)
def test_what_is_no_metrics_of_a_broker_is_one_sentence(text, kind, about):
    found = read_text(text)
    assert (found.outcome, found.kind, found.read_at, found.rows.values) == ("failed", kind, None, 0)
    assert about in found.detail
    assert "canary" not in found.detail
    assert "\n" not in found.detail


@pytest.mark.parametrize(
    ("wire", "kinds"),
    [
        (lambda h: answer(h, b"canary", 401), {"auth"}),
        (lambda h: answer(h, b"canary", 503), {"http"}),
        (lambda h: answer(h, b"", 302, Location="http://169.254.169.254/"), {"redirect"}),
        (lambda h: trickle(h, b"HTTP/1.1 200 OK\r\n\r\nup "), {"timeout"}),
        (cut(OWN[:5000], len(OWN)), {"cut_off"}),
        (lambda h: answer(h, b"no gzip", Content_Encoding="gzip"), {"cut_off"}),
        (bomb, {"too_large", "protocol"}),
        (endless, {"too_large", "protocol"}),
    ],
    ids=["auth", "busy", "redirect", "trickle", "cut", "broken gzip", "bomb", "endless"],
)
def test_a_hostile_answer_ends_within_its_bounds(wire, kinds):
    packed()  # made once, and not while an answer is waited for
    limits = (SHORT if "timeout" in kinds else ENOUGH)._replace(stream_bytes=1_000_000)
    started = time.monotonic()
    found = read_wire(wire, limits)
    assert (found.outcome, found.read_at) == ("failed", None)
    assert found.kind in kinds
    assert "canary" not in found.detail
    assert time.monotonic() - started < limits.deadline_s + 2


def test_more_bytes_than_are_allowed_are_refused_whatever_they_are():
    text = OWN + b"# " + b"x" * 1000 + b"\n"
    found = read_text(text + (b"other_metric 1\n" * 100_000), ENOUGH._replace(stream_bytes=1_000_000))
    assert (found.kind, found.detail) == ("too_large", "more than 1000000 bytes")


def test_a_large_answer_takes_the_memory_of_what_is_wanted():
    """Sixty megabytes of which nothing is wanted, in pieces as they come from a socket."""
    taken = []
    text = Exposition({"up": "up"}.get, lambda *one: taken.append(one))
    piece = b'kafka_network_requestmetrics_mean{name="TotalTimeMs",request="Metadata"} 1.5\n' * 3_000
    tracemalloc.start()
    text.feed(b"up 1\n")
    for _ in range(260):
        text.feed(piece)
    text.end()
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(taken) == 1
    assert most < 8 * len(piece)


def test_names_that_are_long_or_many_are_not_kept():
    text = Exposition({"up": "up"}.get, lambda *_: None)
    tracemalloc.start()
    text.feed(b"up 1\n")
    for number in range(400):
        text.feed(b"x%d" % number + b"y" * (LONGEST // 2) + b" 1\n")
    now, _most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert now < 4 * LONGEST
    found = []
    text = Exposition(lambda name: name, lambda name, *_: found.append(name))
    text.feed(b"".join(b"x%d 1\n" % number for number in range(2 * 10_000 + 10)))
    assert (len(found), len(text._known)) == (2 * 10_000 + 10, 2 * 10_000)


@pytest.mark.parametrize(
    "label",
    [b'topic="%s"' % (b"x" * 1025), b'topic="%s"' % ("é" * 513).encode(), b'%s="1"' % (b"x" * 1025)],
    ids=["text", "bytes", "name"],
)
def test_a_sample_with_a_label_that_is_long_is_not_usable(label):
    series = b'kafka_server_brokertopicmetrics_count{name="MessagesInPerSec",%s} 7\n'
    found = read_text(OWN + series % label, ENOUGH)
    assert (found.outcome, found.rows.unusable) == ("partial", 1)
    assert not any(len(topic) > 249 for (topic,) in found.rows.by_table["broker_topics"])
    whole = read_text(OWN + series % (b'topic="' + b"x" * 1024 + b'"'), ENOUGH)
    assert (whole.outcome, whole.rows.unusable) == ("ok", 0)


def taken(size: int) -> list[object]:
    """What is read of the first 20,000 bytes in pieces of a size."""
    found: list[object] = []
    text = Exposition(lambda name: name, lambda *one: found.append(one))
    for place in range(0, 20_000, size):
        text.feed(OWN[place : min(place + size, 20_000)])
    return found


def test_lines_may_be_cut_anywhere():
    whole = taken(20_000)
    assert len(whole) > 100
    assert all(taken(size) == whole for size in (1, 7, 64, 1000))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"up 1", ({}, "1", None)),
        (b"up  1.5e3 1700000000000", ({}, "1.5e3", 1700000000000.0)),
        (b'a_total{b="c d",e="}{",} 2', ({"b": "c d", "e": "}{"}, "2", None)),
        (b'a{b="\\"x\\\\n\\n"} NaN', ({"b": '"x\\n\n'}, "NaN", None)),
        (b'a{b="c"} 1 # {trace="x"} 0.5 17.0', ({"b": "c"}, "1", None)),
        (b'a{b="c" } -Inf \r', ({"b": "c"}, "-Inf", None)),
    ],
)
def test_a_sample_is_read(line, expected):
    assert tuple(parse_sample(line)) == expected


@pytest.mark.parametrize(
    "line",
    [b"up", b"up{ 1", b'up{a="b} 1', b"up{a=b} 1", b'up{a="1",a="2"} 1', b"1up 1", b"up 1 2 3", b'up{"a"} 1', b"<p>"],
)
def test_what_is_no_sample_is_none(line):
    assert parse_sample(line) is None


def test_a_line_that_could_be_slow_is_read_at_once():
    started = time.monotonic()
    assert parse_sample(b'up{a="' + b'\\"' * 30_000) is None
    assert parse_sample(b"up{" + b'a="b",' * 10_000 + b"!} 1") is None
    assert parse_labels(b'a="b",' * 10_000) is None
    assert time.monotonic() - started < 2


def test_a_broken_line_of_a_wanted_metric_is_counted_and_costs_no_other():
    found = read_text(OWN + b'kafka_server_replicamanager_value{name="LeaderCount" 1\n', ENOUGH)
    assert (found.outcome, found.rows.unusable) == ("partial", 1)
    assert found.rows.has("partitions")


def test_too_many_samples_are_refused(monkeypatch):
    monkeypatch.setattr("kafka_fleet.collect.metrics.exposition.MOST", 100)
    found = read_text(OWN)
    assert (found.kind, found.detail) == ("too_large", "more than 100 samples of Kafka's metrics")


def test_a_failure_of_the_reader_ends_the_answer():
    with pytest.raises(Failure, match="no text of metrics"):
        Exposition(lambda _name: None, lambda *_: None).feed(PAGE)
    assert LIMITS.stream_bytes > LIMITS.max_bytes
