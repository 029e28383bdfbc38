"""Close looks: who is looked at, what of, within which bounds, and how readings keep their time."""

import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from threading import BoundedSemaphore

import pytest

from kafka_fleet.collect.close_looks import selection
from kafka_fleet.collect.close_looks import sweep_looks as module
from kafka_fleet.collect.close_looks.suspicion import Since
from kafka_fleet.knowledge.close_looks import asked_looks
from support.clusters.suspected import EXPIRED, OUT, Row, Suspected, suspected, unhurried

PLACES = ("log_end_offset", "high_watermark", "last_stable_offset")
LOOKED = ("ok", "partial", "failed")


pytestmark = pytest.mark.usefixtures("calm")
calm = unhurried


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
    assert row["seconds"] > 0.75
    assert row["sweep_at"] < row["started_at"] < swept.rows("sweeps")[0]["ended_at"]
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


def test_few_expiries_among_many_fetches_are_looked_at(tmp_path: Path) -> None:
    with suspected({7: Suspected(EXPIRED=10.0, FETCHES=1810.0, OUT=480_000.0)}) as cluster:
        assert cluster.sweep(tmp_path).result.looks == ((7, "ok"),)


def test_topics_that_the_broker_leads_nothing_of_come_before_busier_ones() -> None:
    suspect = selection.Suspect(2, "fetch_latency", asked_looks()["fetch_latency"], "why", Since(600.0, True))
    leaders = {"payments": 2, "orders": 1, "audit": 2, "rare": 3}
    topics = [
        {"topic": topic, "partition": number, "leader": leader, "replicas": [1, 2, 3]}
        for topic, leader in leaders.items()
        for number in range(30)
    ]
    plan = module._plan(suspect, "http://broker-2", ["payments", "audit", "orders", "rare"], topics, None)
    assert plan.topics == ["orders", "rare", "payments"]
    assert (len(plan.places), plan.left_out) == (64, 56)


def test_readings_keep_their_slots_and_time_grows(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        reads = cluster.sweep(tmp_path).rows("look_reads")
    for name in ("consumer_fetches", "high_watermark"):
        own = sorted({(one["slot"], one["offset_ms"], one["spent_ms"]) for one in reads if one["metric"] == name})
        assert [slot for slot, _offset, _spent in own] == [0, 1, 2, 3]
        assert all(offset - spent / 2 >= 250 * slot - 1 for slot, offset, spent in own), "none begins before its moment"
        assert [offset for _slot, offset, _spent in own] == sorted(offset for _slot, offset, _spent in own)
    ends = [one for one in reads if one["metric"] == "log_end_offset" and one["partition"] == 0]
    first, last = ends[0], ends[-1]
    grown, taken = last["value"] - first["value"], (last["offset_ms"] - first["offset_ms"]) / 1000
    assert abs(grown - 100 * taken) <= 2 + 100 * (first["spent_ms"] + last["spent_ms"]) / 1000, "100 records/s"
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
    monkeypatch.setattr(selection, "EVERY_S", 0.0)
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
    monkeypatch.setattr(selection, "EVERY_S", 0.0)
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
    monkeypatch.setattr(selection, "EVERY_S", 0.0)
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
    assert [(row["outcome"], row["detail"]) for row in rows] == [("ok", None)] * 3
    ends = [row["started_at"] + timedelta(seconds=row["seconds"]) for row in rows]
    assert max(row["started_at"] for row in rows) < min(ends), "none of them waited for another"


def test_a_broker_that_was_looked_at_just_now_is_not_looked_at_again(tmp_path: Path) -> None:
    with suspected({7: Suspected()}) as cluster:
        cluster.sweep(tmp_path)
        (row,) = cluster.sweep(tmp_path).rows("looks")
    assert row["outcome"] == "skipped"
    assert row["detail"].endswith(" s before, and once in 60 s is enough")


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ((selection, "TOTAL_S", 1.0), "the looks of one sweep take 1 s in all, and its turn comes in a later one"),
        ((selection, "SPARE_S", 239.5), "the sweep had no time left for it"),
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
        rows = cluster.sweep(tmp_path, looks={"seconds": 3}).rows("looks")
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
