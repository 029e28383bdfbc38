"""What close looks meet: agents and leaders that fall silent, answer late, wrongly or too much. No sweep is lost."""

import json
import time
from pathlib import Path

import pytest

from kafka_fleet.collect import sweep as sweeping
from kafka_fleet.collect.close_looks import broker_look as one_look
from kafka_fleet.collect.close_looks import sweep_looks as module
from kafka_fleet.collect.close_looks.broker_look import Taken
from support.clusters.suspected import EXPIRED, LIMITS, WAIT, Row, Suspected, suspected, unhurried
from support.inspection.canaries import hits
from support.servers.jolokia_simulator import Agent, answer, never_answers

pytestmark = pytest.mark.usefixtures("calm")
calm = unhurried


def falls_silent(one: Agent, after: int) -> None:
    """Answers so many requests and no more."""
    own = one.body

    def body(answers: list[Row]) -> object:
        if len(one.seen) >= after:
            one.wire = never_answers
        return own(answers)

    one.body = body


@pytest.mark.parametrize("after", [2, 4])
def test_an_agent_that_falls_silent_costs_the_look_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(one_look, "READ_S", 1.0)
    one = Suspected()
    falls_silent(one, after)
    with suspected({7: one}) as cluster:
        swept = cluster.sweep(tmp_path, looks={"seconds": 2})
    (row,) = swept.rows("looks")
    assert row["outcome"] == ("failed" if after == 2 else "partial")
    assert "its agent: timeout: no answer in time" in row["detail"]
    assert [(broker, outcome) for broker, outcome, _kind, _detail in swept.result.brokers] == [(7, "ok")]
    assert swept.rows("partitions")
    assert swept.rows("sweeps")[0]["admin_outcome"] == "ok"


def test_a_slow_agent_gives_fewer_readings_and_no_delay_adds_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Taken, "wait", WAIT)
    one = Suspected()

    def slow(answers: list[Row]) -> list[Row]:
        time.sleep(0.6 if len(one.seen) > 2 else 0)
        return answers

    one.body = slow
    with suspected({7: one}) as cluster:
        swept = cluster.sweep(tmp_path, looks={"seconds": 3})
    (row,) = swept.rows("looks")
    assert row["outcome"] == "partial"
    assert 1 <= row["slots"] <= 6
    assert f"{row['slots']} of 12 readings were taken in time" in row["detail"]
    assert row["seconds"] < 12 * 0.6
    reads = [one for one in swept.rows("look_reads") if one["metric"] == "bytes_out" and one["topic"] is None]
    assert all(read["spent_ms"] >= 600 and read["offset_ms"] >= read["spent_ms"] // 2 - 1 for read in reads)


def test_what_leaders_refuse_is_null_and_said(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        cluster.wire.offset = lambda _topic, partition, _isolation: (6, -1) if partition else (0, 5)
        swept = cluster.sweep(tmp_path)
    (row,) = swept.rows("looks")
    assert (row["outcome"], row["detail"]) == ("partial", "leader 7: 8 values not answered for")
    found = {one["value"] for one in swept.rows("look_reads") if one["metric"] == "high_watermark" and one["partition"]}
    assert found == {None}


def test_a_leader_that_never_answers_costs_its_own_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka_fleet.collect.close_looks.leader_reads.READ_S", 0.5)
    with suspected({7: Suspected()}) as cluster:

        def silent(*_asked):
            time.sleep(60)
            return 6, -1

        cluster.wire.offset = silent
        swept = cluster.sweep(tmp_path, looks={"seconds": 2})
    (row,) = swept.rows("looks")
    assert row["outcome"] == "partial"
    assert row["detail"].startswith("leader 7: 0 of 8 readings")
    assert row["slots"] == 8
    assert {one["metric"] for one in swept.rows("look_reads") if one["partition"] is not None} == {"log_end_offset"}
    assert swept.rows("sweeps")[0]["admin_outcome"] == "ok"


def test_without_kafka_the_broker_s_own_numbers_are_read(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        swept = cluster.sweep(tmp_path, LIMITS._replace(deadline_s=6.0), bootstrap_servers=["127.0.0.1:1"])
    (row,) = swept.rows("looks")
    assert (row["outcome"], row["slots"]) == ("partial", 4)
    assert row["detail"] == "no partition is known of what is read there"


def hostile(body: str):
    """Answers of the sweep as ever, then this."""

    def made(one: Agent) -> None:
        one.body = lambda answers: answers if len(one.seen) <= 2 else json.loads(body)

    return made


FAR_SIDES = {
    "no list": hostile("{}"),
    "too few": hostile("[1]"),
    "text": hostile('"canary-body"'),
    "deep": hostile("[" * 90 + "]" * 90),
}


@pytest.mark.parametrize("name", FAR_SIDES)
def test_answers_that_are_none_cost_the_look_alone(tmp_path: Path, name: str) -> None:
    one = Suspected()
    FAR_SIDES[name](one)
    with suspected({7: one}) as cluster:
        swept = cluster.sweep(tmp_path)
    (row,) = swept.rows("looks")
    assert (row["outcome"], row["slots"]) == ("failed", 0)
    assert swept.result.brokers[0][1] == "ok"
    assert hits(("canary-body",), [tmp_path], {"row": str(row)}) == []


def test_more_bytes_than_a_look_may_have_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_look, "MOST_BYTES", 1_500)
    with suspected({7: Suspected()}) as cluster:
        swept = cluster.sweep(tmp_path)
    (row,) = swept.rows("looks")
    assert row["outcome"] == "partial"
    assert "too_large: more than 1500 bytes" in row["detail"]


NO_COUNTS = [2**63, -(2**70), "text", 1e300, [1], {"a": 1}, True, None, 10**400]


def test_a_value_that_is_no_count_is_null(tmp_path: Path) -> None:
    one = Suspected()
    own = one.entry

    def odd(mbean: str, found: Row) -> Row:
        made = own(mbean, found)
        if len(one.seen) > 2 and mbean == EXPIRED:
            made["value"] = {"Count": NO_COUNTS[len(one.seen) % len(NO_COUNTS)]}
        return made

    one.entry = odd
    with suspected({7: one}) as cluster:
        swept = cluster.sweep(tmp_path, looks={"seconds": 3})
    found = [read["value"] for read in swept.rows("look_reads") if read["metric"] == "expired_consumer_fetches"]
    assert found == [None] * 12
    assert swept.rows("looks")[0]["outcome"] == "ok"


def test_a_connection_that_breaks_each_time_ends_it(tmp_path: Path) -> None:
    one = Suspected()

    def refuse(answers: list[Row]) -> list[Row]:
        if len(one.seen) > 3:
            one.wire = lambda handler: answer(handler, b"canary-body", 500)
        return answers

    one.body = refuse
    with suspected({7: one}) as cluster:
        swept = cluster.sweep(tmp_path, looks={"seconds": 3})
    (row,) = swept.rows("looks")
    assert row["outcome"] == "partial"
    assert "its agent: http: HTTP 500" in row["detail"]
    assert hits(("canary-body",), [tmp_path], {"row": str(row)}) == []


def test_a_fault_of_the_program_s_own_costs_the_looks_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: object) -> None:
        raise ZeroDivisionError("canary-text")

    with suspected({7: Suspected()}) as cluster:
        monkeypatch.setattr(module, "look_at", broken)
        swept = cluster.sweep(tmp_path)
        monkeypatch.setattr(module, "_looked", broken)
        without = cluster.sweep(tmp_path)
    (row,) = swept.rows("looks")
    assert (row["outcome"], row["detail"]) == ("failed", "ZeroDivisionError: a fault of this program")
    (untold,) = without.rows("looks")
    assert (untold["broker"], untold["signature"], untold["outcome"]) == (7, "fetch_latency", "failed")
    assert untold["detail"] == row["detail"]
    assert without.result.brokers[0][1] == "ok"


def test_a_sweep_that_is_not_stored_keeps_no_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sweeping, "advance_latest", full)
    with suspected({7: Suspected()}) as cluster, pytest.raises(OSError, match="No space"):
        cluster.sweep(tmp_path)
    assert list(tmp_path.rglob("*.parquet")) == []
