"""Close looks: who is looked at, what of, within which bounds, and that nothing they meet costs a sweep anything."""

import hashlib
import json
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from threading import BoundedSemaphore

import pytest
from pydantic import ValidationError

from canaries import hits
from jolokia_simulator import Agent, answer, never_answers
from kafka_fleet.collect import look as one_look
from kafka_fleet.collect import looks as module
from kafka_fleet.collect import sweep as sweeping
from kafka_fleet.collect import turns
from kafka_fleet.knowledge.looks import Look, asked_looks
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store import landing
from kafka_fleet.store.landing import land
from kafka_fleet.store.manifests import manifests, read_rows
from kafka_fleet.store.quota import Room
from suspected import EXPIRED, OUT, Row, Suspected, suspected

PLACES = ("log_end_offset", "high_watermark", "last_stable_offset")
LOOKED = ("ok", "partial", "failed")


@pytest.fixture(autouse=True)
def slots_of_250_ms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the check asks for."""
    own = asked_looks()["fetch_latency"]
    made = own.model_copy(update={"slot_ms": own.slot_ms.model_copy(update={"value": 250.0})})
    monkeypatch.setattr(module, "asked_looks", lambda: {"fetch_latency": made})


def test_a_broker_whose_fetches_expire_is_read_densely(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        cluster.wire.offset = lambda topic, partition, isolation: (0, 1000 + partition - 10 * isolation)
        swept = cluster.sweep(tmp_path)
    (row,) = swept.rows("looks")
    assert (row["broker"], row["signature"], row["outcome"], row["detail"]) == (7, "fetch_latency", "ok", None)
    assert row["reason"] == (
        "consumer fetches expire at a broker from which bytes go out: "
        "expired_consumer_fetches 2 fetches/s, bytes_out 5,000 bytes/s since the process began"
    )
    assert row["slots"] == 4
    assert 0.7 < row["seconds"] < 2
    assert abs((row["started_at"] - row["sweep_at"]).total_seconds()) < 5
    reads = swept.rows("look_reads")
    assert Counter((one["metric"], one["topic"], one["partition"]) for one in reads) == dict.fromkeys(
        [
            ("expired_consumer_fetches", None, None), ("consumer_fetches", None, None), ("bytes_out", None, None),
            ("bytes_out", "orders", None),
            *((name, "orders", p) for name in PLACES for p in (0, 1)),
        ], 4,
    )  # fmt: skip
    values = {(one["metric"], one["partition"]): one["value"] for one in reads if one["slot"] == 3}
    assert (values["high_watermark", 1], values["last_stable_offset", 1]) == (1001, 991)
    assert {one["signature"] for one in reads} == {"fetch_latency"}
    assert swept.result.looks == ((7, "ok"),)
    assert swept.result.summary().endswith("; close look at broker 7: ok")


def test_readings_keep_their_slots_and_time_grows(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        reads = cluster.sweep(tmp_path).rows("look_reads")
    for name in ("consumer_fetches", "high_watermark"):
        own = sorted({(one["slot"], one["offset_ms"], one["spent_ms"]) for one in reads if one["metric"] == name})
        assert [slot for slot, _offset, _spent in own] == [0, 1, 2, 3]
        for slot, offset, spent in own:
            assert 250 * slot <= offset + spent / 2 + 1
            assert offset - spent / 2 < 250 * (slot + 1)
    values = [one["value"] for one in reads if one["metric"] == "log_end_offset" and one["partition"] == 0]
    assert values == sorted(values)
    assert 50 <= values[-1] - values[0] <= 150  # 100 records/s for three quarters of a second
    assert next(one["value"] for one in reads if one["metric"] == "consumer_fetches") > 14_000, "of all versions"


@pytest.mark.parametrize("changes", [{"EXPIRED": 0.05}, {"OUT": 50.0}])
def test_without_suspicion_nothing_more_is_asked(tmp_path: Path, changes: dict[str, float]) -> None:
    one = Suspected(**changes)
    with suspected({7: one}) as cluster:
        swept = cluster.sweep(tmp_path)
    assert (swept.rows("looks"), swept.rows("look_reads"), swept.result.looks) == ([], [], ())
    assert len(one.seen) == 2, "both bulks of the sweep"
    assert "ListOffsetsRequest" not in cluster.wire.asked


def test_rates_are_those_since_the_sweep_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "EVERY_S", 0.0)
    one = Suspected()
    with suspected({7: one}) as cluster:
        assert cluster.sweep(tmp_path).result.looks == ((7, "ok"),)
        time.sleep(0.6)
        (row,) = cluster.sweep(tmp_path).rows("looks")
        assert row["reason"].endswith("since the sweep before")
        one.stop(EXPIRED)
        cluster.sweep(tmp_path)  # a part of the time before it has them still
        assert cluster.sweep(tmp_path).result.looks == (), "the process' average is as high as ever"


def test_a_topic_that_nobody_reads_now_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "EVERY_S", 0.0)
    one = Suspected()
    own = one.entry

    def payments_alone(mbean: str, found: Row) -> Row:
        made = own(mbean, found)
        if mbean == f"{OUT},topic=*" and len(one.seen) > 10:
            made["value"] = {f"{OUT},topic=payments": {"Count": one.count(OUT)}, f"{OUT},topic=orders": {"Count": 9}}
        return made

    one.entry = payments_alone
    with suspected({7: one}) as cluster:
        cluster.sweep(tmp_path)
        one.seen += one.seen * 10
        reads = cluster.sweep(tmp_path).rows("look_reads")
    assert {read["topic"] for read in reads} == {None, "payments"}


def test_more_suspects_than_looks_have_their_turns_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "EVERY_S", 0.0)
    with suspected({broker: Suspected() for broker in (7, 8, 9, 10, 11)}) as cluster:
        swept = [cluster.sweep(tmp_path, looks={"brokers": 2, "seconds": 1}) for _sweep in range(3)]
    found = [[row["broker"] for row in one.rows("looks") if row["outcome"] in LOOKED] for one in swept]
    assert found == [[7, 8], [9, 10], [11, 7]]
    skipped = [row for row in swept[0].rows("looks") if row["outcome"] == "skipped"]
    assert [row["broker"] for row in skipped] == [9, 10, 11]
    sentence = "not looked at: one sweep makes 2 looks, and its turn comes in a later one"
    assert {(row["detail"], row["slots"], row["started_at"], row["seconds"]) for row in skipped} == {
        (sentence, None, None, None)
    }
    assert {row["broker"] for row in swept[0].rows("look_reads")} == {7, 8}


def test_looks_of_a_sweep_run_side_by_side(tmp_path: Path) -> None:
    with suspected({broker: Suspected() for broker in (7, 8, 9)}) as cluster:
        swept = cluster.sweep(tmp_path, looks={"seconds": 2})
    rows = swept.rows("looks")
    assert [row["outcome"] for row in rows] == ["ok"] * 3
    starts = [row["started_at"] for row in rows]
    assert (max(starts) - min(starts)).total_seconds() < 1.5, "none of them waited for another"
    assert swept.result.seconds < 5


def test_a_broker_that_was_looked_at_just_now_is_not_looked_at_again(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        cluster.sweep(tmp_path)
        (row,) = cluster.sweep(tmp_path).rows("looks")
    assert row["outcome"] == "skipped"
    assert row["detail"].endswith(" s before, and once in 60 s is enough")


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ((turns, "TOTAL_S", 1.0), "the looks of one sweep take 1 s in all, and its turn comes in a later one"),
        ((turns, "SPARE_S", 239.5), "the sweep had no time left for it"),
    ],
)
def test_every_bound_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: tuple, said: str) -> None:
    monkeypatch.setattr(*bound)
    with suspected({7: Suspected(), 8: Suspected()}) as cluster:
        rows = cluster.sweep(tmp_path).rows("looks")
    assert rows[-1]["outcome"] == "skipped"
    assert rows[-1]["detail"] == f"not looked at: {said}"


def test_looks_of_all_clusters_of_a_process_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_turns", BoundedSemaphore(1))
    monkeypatch.setattr(module, "TURN_S", 0.1)
    with suspected({7: Suspected(), 8: Suspected()}) as cluster:
        rows = cluster.sweep(tmp_path).rows("looks")
    assert sorted(row["outcome"] for row in rows) == ["ok", "skipped"]
    assert "looks at other clusters' brokers were under way" in str([row["detail"] for row in rows])


def test_partitions_beyond_the_bound_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PARTITIONS", 1)
    with suspected({7: Suspected()}) as cluster:
        swept = cluster.sweep(tmp_path)
    (row,) = swept.rows("looks")
    assert row["detail"] == "1 partitions of topics that are read there are left out"
    assert {one["partition"] for one in swept.rows("look_reads")} == {None, 0}


def test_a_fleet_file_switches_them_off(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        assert cluster.sweep(tmp_path, looks={"brokers": 0}).rows("looks") == []


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
    monkeypatch.setattr(one_look, "READ_S", 0.3)
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


def test_a_slow_agent_gives_fewer_readings_and_no_delay_adds_up(tmp_path: Path) -> None:
    one = Suspected()

    def slow(answers: list[Row]) -> list[Row]:
        time.sleep(0.6 if len(one.seen) > 2 else 0)
        return answers

    one.body = slow
    with suspected({7: one}) as cluster:
        swept = cluster.sweep(tmp_path, looks={"seconds": 3})
    (row,) = swept.rows("looks")
    assert row["outcome"] == "partial"
    assert 4 <= row["slots"] <= 6
    assert f"{row['slots']} of 12 readings were taken in time" in row["detail"]
    assert row["seconds"] < 4.5
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
    monkeypatch.setattr("kafka_fleet.collect.leader_reads.READ_S", 0.3)
    with suspected({7: Suspected()}) as cluster:
        cluster.wire.offset = lambda *_asked: time.sleep(60)
        swept = cluster.sweep(tmp_path, looks={"seconds": 2})
    (row,) = swept.rows("looks")
    assert row["outcome"] == "partial"
    assert row["detail"].startswith("leader 7: 0 of 8 readings")
    assert row["slots"] == 8
    assert {one["metric"] for one in swept.rows("look_reads") if one["partition"] is not None} == {"log_end_offset"}
    assert swept.rows("sweeps")[0]["admin_outcome"] == "ok"


def test_without_kafka_the_broker_s_own_numbers_are_read(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        swept = cluster.sweep(tmp_path, bootstrap_servers=["127.0.0.1:1"])
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


@pytest.mark.parametrize("value", [2**63, -(2**70), "text", 1e300, [1], {"a": 1}, True, None, 10**400])
def test_a_value_that_is_no_count_is_null(tmp_path: Path, value: object) -> None:
    one = Suspected()
    own = one.entry

    def odd(mbean: str, found: Row) -> Row:
        made = own(mbean, found)
        if len(one.seen) > 2 and mbean == EXPIRED:
            made["value"] = {"Count": value}
        return made

    one.entry = odd
    with suspected({7: one}) as cluster:
        swept = cluster.sweep(tmp_path)
    found = [read["value"] for read in swept.rows("look_reads") if read["metric"] == "expired_consumer_fetches"]
    assert found == [None] * 4
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
    assert without.rows("looks") == []
    assert without.result.brokers[0][1] == "ok"


def test_a_sweep_that_is_not_stored_keeps_no_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sweeping, "advance", full)
    with suspected({7: Suspected()}) as cluster, pytest.raises(OSError, match="No space"):
        cluster.sweep(tmp_path)
    assert list(tmp_path.rglob("*.parquet")) == []


def test_a_look_s_rows_beyond_the_quota_are_said_in_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = landing.ROOM.decoded
    monkeypatch.setattr(landing, "ROOM", Room(whole, 20_000))
    many = [read(slot) for slot in range(2_000)]
    about = {"broker": 7, "signature": "fetch_latency", "reason": "why", "outcome": "ok", "slots": 60}
    tables = {"sweeps": [{"admin_outcome": "ok", "admin_missing": []}], "looks": [about], "look_reads": many}
    at = datetime(2026, 11, 20, 10, tzinfo=UTC)
    land(tmp_path, "lab", at, tables)
    (manifest,), _damaged = manifests(tmp_path, at.date())
    (row,) = read_rows(tmp_path, [manifest], "looks")
    assert row["outcome"] == "failed"
    assert row["detail"].startswith("beyond the quota of a sweep and not stored: look_reads of broker 7 (")
    assert read_rows(tmp_path, [manifest], "sweeps")[0]["admin_outcome"] == "ok"
    assert "look_reads" not in manifest.files


def read(slot: int) -> Row:
    """A reading that compresses badly."""
    noise = int.from_bytes(hashlib.sha256(str(slot).encode()).digest()[:6])
    about = {"broker": 7, "signature": "fetch_latency", "slot": slot, "offset_ms": slot, "spent_ms": 1}
    return {**about, "metric": "bytes_out", "topic": None, "partition": None, "value": noise}


def test_values_beyond_their_columns_are_said_in_the_look_s_row(tmp_path: Path) -> None:
    about = {"broker": 7, "signature": "fetch_latency", "reason": "r" * 9_000, "outcome": "ok", "slots": 60}
    at = datetime(2026, 11, 20, 10, tzinfo=UTC)
    reads = [{**read(0), "topic": "t" * 300}, {**read(1), "value": 2**60}]
    land(tmp_path, "lab", at, {"sweeps": [{"admin_outcome": "ok"}], "looks": [about], "look_reads": reads})
    (manifest,), _damaged = manifests(tmp_path, at.date())
    (row,) = read_rows(tmp_path, [manifest], "looks")
    assert (row["outcome"], len(row["reason"])) == ("partial", 4096)
    assert row["detail"] == (
        "beyond the bounds of their columns and not stored: look_reads.topic (1 row), look_reads.value (1 value)"
    )
    assert [one["value"] for one in read_rows(tmp_path, [manifest], "look_reads")] == [None]


def wanted(**changes: object) -> Row:
    """The block of fetch_latency, otherwise."""
    return {**asked_looks()["fetch_latency"].model_dump(), **changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"broker": {"x": "broker_metrics.nothing"}, "when": {}}, "at least 1 item"),
        ({"broker": {"bytes_out": "broker_metrics.bytes_out"}}, "not among the numbers of the broker"),
        ({"topics": {"x": "broker_metrics.bytes_out"}}, "no such number with one row per topic"),
        ({"topics": {"Ab": "broker_topics.bytes_out"}}, "a name of small letters"),
        ({"partitions": ["log_size"]}, "partitions.log_size: mbeans.yaml has no such number"),
    ],
)
def test_a_block_that_asks_for_what_there_is_not_is_refused(changes: Row, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Look.model_validate(wanted(**changes))


def test_a_look_is_short_and_its_readings_are_apart() -> None:
    for name, value in (("seconds", 21.0), ("slot_ms", 50.0)):
        longer = {"value": value, "unit": "s", "minimum": 0, "maximum": 9999, "reason": "because"}
        with pytest.raises(ValidationError, match="takes at most 20 s, and a reading of it 100 ms at least"):
            Look.model_validate(wanted(**{name: longer}))


def test_every_check_that_asks_is_found_without_reading_the_others() -> None:
    assert asked_looks() == {name: one.look for name, one in load_signatures().items() if one.look is not None}
    wait = load_signatures()["fetch_latency"].thresholds["wait_ms"].value
    assert 2 * asked_looks()["fetch_latency"].slot_ms.value <= wait
