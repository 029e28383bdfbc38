"""Disks that hold what is written while a broker is away, and descriptors for the clients that turn elsewhere."""

from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.report.readiness_words import reason_words
from kafka_fleet.roll.readiness import Known
from kafka_fleet.roll.room import growth
from support.builders.roll_reports import a_roll, restart
from support.builders.roll_sweeps import Rows, asked, decisive, healthy, landed, only, partition

HOUR = 3600
# 10 new records of 10 bytes in 600 s: of each partition of offsets, three of whose replicas are on each broker's disk
RATE = 6 * 100 / 600


def free(rows: Rows, broker: int, *usable: int) -> None:
    first = {**rows["disks"][0], "broker": broker}
    rows["disks"] = [one for one in rows["disks"] if one["broker"] != broker]
    rows["disks"] += [{**first, "log_dir": f"/data{n}", "usable_bytes": size} for n, size in enumerate(usable)]


def test_growth_is_what_leaders_took_on_every_replica(tmp_path: Path) -> None:
    assert growth(landed(tmp_path, healthy())) == pytest.approx({1: RATE, 2: RATE, 3: RATE})


def test_a_follower_that_catches_up_and_a_trimmed_log_are_no_growth(tmp_path: Path) -> None:
    rows = healthy()
    for one in rows["partitions"]:
        if one["replicas_count"] == 0:
            one["previous_log_end_offset"] = 0
        elif one["partition"] == 0:
            one["previous_log_end_offset"] = 150
    assert growth(landed(tmp_path, rows)) == pytest.approx(dict.fromkeys((1, 2, 3), 5 / 6 * RATE))


def test_a_disk_that_an_hour_of_writes_would_fill_is_in_the_way(tmp_path: Path) -> None:
    need = round(RATE * HOUR)
    found = asked(tmp_path / "full", lambda rows: free(rows, 2, need - 1))
    assert decisive(found) == [("blocks", "disk_short", None)]
    one = only(found, "disk_short")
    assert (one.count, one.names, one.limit, one.about) == (2, ["/data0"], need - 1, str(need))
    assert reason_words(one).startswith("broker 2 has 0.0 MiB free for log directory /data0, and would be given")
    fits = asked(tmp_path / "fits", lambda rows: free(rows, 2, need))
    assert decisive(fits) == []
    assert only(fits, "disk_fits").count == 2, "the one with the least room is told"


@pytest.mark.parametrize(("each", "level"), [(0.6, "warns"), (0.4, "blocks")])
def test_of_several_directories_one_alone_may_be_the_one_that_fills(tmp_path: Path, each: float, level: str) -> None:
    size = round(each * RATE * HOUR)
    assert decisive(asked(tmp_path, lambda rows: free(rows, 2, size, size))) == [(level, "disk_short", None)]


def test_a_longer_last_roll_takes_more_room(tmp_path: Path) -> None:
    last = RollReport.model_validate(a_roll(restarts=[restart(1, 0, away_seconds=4.0 * HOUR)]))
    known = Known(rolls=[last])
    found = asked(tmp_path, lambda rows: free(rows, 2, round(2 * RATE * HOUR)), known=known)
    assert only(found, "disk_short").about == str(round(4 * RATE * HOUR))


@pytest.mark.parametrize("lacks", ["sweep", "ends"])
def test_without_an_earlier_sweep_growth_is_not_known(tmp_path: Path, lacks: str) -> None:
    def first(rows: Rows) -> None:
        if lacks == "sweep":
            rows["sweeps"][0]["previous_sweep_at"] = None
        for one in rows["partitions"]:
            one["previous_log_end_offset"] = None

    assert decisive(asked(tmp_path, first)) == [("unmeasured", "growth_unread", None)]


def descriptors(rows: Rows, broker: int, opened: Any, most: Any = 1000) -> None:
    (one,) = (row for row in rows["broker_metrics"] if row["broker"] == broker)
    one |= {"open_file_descriptors": opened, "max_file_descriptors": most}


def test_clients_must_fit_into_the_descriptors_of_the_others(tmp_path: Path) -> None:
    fits = asked(tmp_path / "fits", lambda rows: descriptors(rows, 3, 900 - 10, 900))  # 20 clients turn to two brokers
    assert decisive(fits) == [("warns", "descriptors_near", 3)]
    full = asked(tmp_path / "full", lambda rows: descriptors(rows, 3, 900 - 9, 900))
    assert decisive(full) == [
        ("blocks", "descriptors_short", 1), ("blocks", "descriptors_short", 2), ("warns", "descriptors_near", 3),
    ]  # fmt: skip
    assert reason_words(only(full, "descriptors_short", 1)) == (
        "broker 3 has 891 of 900 file descriptors open, and may get 10 connections more"
    )


@pytest.mark.parametrize(("opened", "most"), [(None, 1000), (300, None), (300, -1), (-1, 1000)])
def test_descriptors_that_no_agent_told_are_asked_for(tmp_path: Path, opened: Any, most: Any) -> None:
    found = asked(tmp_path, lambda rows: descriptors(rows, 2, opened, most))
    assert decisive(found) == [("unmeasured", "descriptors_unread", None)]
    assert only(found, "descriptors_unread").names == ["2"]


def test_a_broker_that_leads_nothing_new_has_room_anyway(tmp_path: Path) -> None:
    def lonely(rows: Rows) -> None:
        rows["topics"].append(partition("new", 0, [1, 2, 3]))
        rows["topic_configs"].append({"topic": "new", "name": "min.insync.replicas", "value": "2"})

    assert only(asked(tmp_path, lonely), "disk_fits").about == str(round(RATE * HOUR))
