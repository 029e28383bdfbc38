"""Log marks of a sweep that a host's script counted, by a textfile, and how each of its failures is told."""

from datetime import UTC, datetime

import pytest

from kafka_fleet.collect.connections.http import Failure
from kafka_fleet.collect.log_marks import textfile
from kafka_fleet.collect.log_marks.kafka_log_marks.counts import Counts, exposition
from kafka_fleet.collect.log_marks.kafka_log_marks.messages import message
from kafka_fleet.collect.log_marks.textfile import parse
from support.builders.log_mark_sweeps import FLOOD, NOW, SEGMENT, UNCLEAN, Clock, cluster, short, swept
from support.servers.jolokia_simulator import Agent, agent, answer


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    monkeypatch.setattr(textfile, "datetime", Clock)


def text(log="broker", broker=None, since=NOW - 5000, read=NOW - 30, **own):
    counts = Counts({})
    for line, at in ((SEGMENT, NOW - 60), (UNCLEAN, NOW)):
        counts.take("broker", message(line), at)
    counts.take("kernel", FLOOD, NOW - 70)
    return exposition(counts.kept, {log: True}, {"since": since, "read": read, "lost": 0, **own}, broker).encode()


def test_what_the_script_wrote_is_read_as_it_counted():
    with agent(Agent()) as one:
        one.wire = lambda handler: answer(handler, b"node_load1 0.5\n" + text("kernel"))
        rows = swept(cluster(textfile={"brokers": {1: one.url}}))
    assert short(rows) == [(1, "kernel", "ok", None, None, None, None), (1, "kernel", "ok", "syn_flood", 9092, 1, None)]
    assert [rows[1][name].timestamp() for name in ("first_at", "last_at")] == pytest.approx([NOW - 70] * 2, abs=0.01)
    assert rows[0]["counted_from"].timestamp() == pytest.approx(NOW - 5000, abs=0.01)


def parsed(body, broker=1):
    return parse(broker, body, datetime.fromtimestamp(NOW, UTC))


def test_several_brokers_of_a_host_are_told_apart_by_their_label():
    both = text(broker="1") + text(broker="2").replace(b"12.000", b"99.000")
    assert parsed(both, 2)["broker"].tallies["unclean_start", None].number == 99
    assert parsed(both, 1)["broker"].tallies["unclean_start", None].number == 12
    with pytest.raises(Failure, match="no log marks"):
        parsed(both, 3)
    with pytest.raises(Failure, match="given twice"):
        parsed(text() + text())


def test_a_textfile_without_marks_of_now_is_no_silence():
    for body, said in (
        (b"node_load1 1\n", "protocol: the answer has no log marks"),
        (text(read=NOW - 1000), "stale: the script has not run since"),
        (text("cleaner").replace(b"cleaner_died", b"unknown_mark"), "unreadable: the script could read none"),
        (text(since=0), "protocol: the answer has no log marks"),
        (text().replace(b"since_timestamp_seconds ", b"since_timestamp_seconds 9e"), "protocol: the answer has no"),
    ):
        with pytest.raises(Failure) as failure:
            parsed(body)
        assert str(failure.value).startswith(said)


def test_a_log_that_the_script_can_no_longer_read_is_a_failed_read_beside_those_that_it_reads():
    own = {"since": NOW - 5000, "read": NOW - 30, "lost": 0}
    with agent(Agent()) as one:
        body = exposition({}, {"broker": True, "cleaner": False}, own, None).encode()
        one.wire = lambda handler: answer(handler, body)
        rows = swept(cluster(textfile={"brokers": {1: one.url}}))
    assert [(row["log"], row["outcome"], row["detail"]) for row in rows] == [
        ("broker", "ok", None),
        ("cleaner", "failed", "unreadable: the script could not read this log in its last run"),
    ]


def test_what_a_script_does_not_count_or_lost_is_said():
    lines = [line for line in text(lost=3).split(b"\n") if b"isr_not_enqueued" not in line]
    assert parsed(b"\n".join(lines))["broker"].detail == (
        "the script does not count isr_not_enqueued; 3 log files went before they were read to their end"
    )


def test_hosts_of_the_cluster_are_checked_as_the_fleet_file_is():
    made = cluster(textfile={"url_template": "http://{host}:9100/metrics"})
    rows = swept(made, {1: "169.254.169.254"}, unread={})
    assert {row["detail"][:9] for row in rows} == {"forbidden"}
    rows = swept(cluster(textfile={"brokers": {7: "http://127.0.0.1:9/"}}), {1: "b1"})
    assert {(row["broker"], row["detail"].split(":")[0]) for row in rows} == {(1, "no_host"), (7, "unreachable")}
