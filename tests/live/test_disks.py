"""A disk under a real broker at 3.9.1 is full when it was said to be; what retention limits, or is idle, is quiet."""

import math
from itertools import pairwise
from typing import Any

import pytest

from support.live.disks import DISK_MIB, FILLING, HASTY, HELD_MIB, IDLE, MIB, NOT_RUN, OTHER_MIB, RECORD_BYTES, result
from support.live.disks import RECORDS_PER_S as PACE
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("disks")]
FULL, UNEVEN, LATE = "OPS-REPLICA-DISK", "OPS-LOG-DIRS-UNEVEN", "OPS-RETENTION-BEHIND"


@pytest.fixture(autouse=True)
def mounted(measured: Measured) -> None:
    """A container without the right to mount has no small disks; elsewhere all of it runs."""
    reason = measured.home / NOT_RUN
    if reason.exists():
        # the given rows of tests/sql/marts/test_disk_facts.py are judged there all the same
        pytest.skip(reason.read_text())


def lines(finding: dict[str, Any], metric: str) -> dict[str, float]:
    """Values of the lines of evidence that begin so, by the last folders of their directory, or by their topic."""
    found = [one for one in finding["evidence"] if one["metric"].startswith(metric)]
    return {"/".join(one["where"].split("/")[-2:]) or one["where"]: one["value"] for one in found}


def test_the_disk_that_fills_is_named_with_the_topic_that_fills_it_and_no_other_disk(measured: Measured) -> None:
    finding = measured.finding(FILLING, FULL)
    assert (finding["verdict"], finding["missing"]) == ("exposed", [])
    assert [one.split("/")[-1] if "/" in one else one for one in finding["subjects"]] == [
        "broker 1", "topic endless", "first of broker 1",
    ]  # fmt: skip
    assert finding["subjects"][-1].endswith("/both/first of broker 1"), "two directories of one disk are one"
    shares = lines(finding, "used share")
    assert set(shares) == {"both/first", "two/data", "one/data"}
    assert shares["one/data"] == pytest.approx(OTHER_MIB / DISK_MIB, abs=0.06), "a file that is no log counts as used"


def test_it_was_full_when_it_was_told_to_be(measured: Measured) -> None:
    finding, moments = measured.finding(FILLING, FULL), result(measured.home)
    (soonest,), (latest,) = (
        lines(finding, f"until the disk is full, at the {when}").values() for when in ("soonest", "latest")
    )
    seconds = moments["full"] - moments["swept"]
    assert soonest <= latest
    assert 0.6 * 86400 * soonest <= seconds <= 1.4 * 86400 * latest, (soonest, latest, seconds)
    (growth,) = lines(finding, "growth in a day").values()
    assert growth == pytest.approx(86400 * PACE["endless"] * RECORD_BYTES / 1e9, rel=0.3)


def test_what_retention_limits_by_size_does_not_grow(measured: Measured) -> None:
    growth = {one["topic"]: one for one in measured.facts("log_growth", cluster=FILLING)}
    steady, endless = growth["steady"], growth["endless"]
    assert steady["arrived_bytes"] > steady["grown_bytes"], "as much was deleted as arrived"
    assert steady["bytes"] < 8 * MIB
    assert (steady["unlimited_partitions"], steady["over_bytes"]) == (0, 0)
    assert endless["grown_bytes"] == pytest.approx(endless["arrived_bytes"], rel=0.1)
    assert endless["to_come_bytes"] > 1000 * DISK_MIB * MIB, "seven days of it"


def test_records_from_the_future_are_kept_and_those_of_today_are_not(measured: Measured) -> None:
    for advisory in (LATE, "KAFKA-14991"):
        finding = measured.finding(FILLING, advisory)
        assert (finding["verdict"], finding["subjects"]) == ("exposed", ["topic held"])
        kept = lines(finding, "kept beyond retention")
        assert list(kept.values()) == [pytest.approx(HELD_MIB * MIB / 1e9, rel=0.1)]
    growth = {one["topic"]: one for one in measured.facts("log_growth", cluster=FILLING)}
    assert growth["timely"]["overdue_bytes"] == 0


def test_disks_of_one_broker_that_are_unevenly_full_are_named(measured: Measured) -> None:
    finding = measured.finding(FILLING, UNEVEN)
    assert finding["verdict"] == "exposed"
    ends = [one.rsplit("/", 2)[1] for one in finding["subjects"] if one.startswith("directory")]
    assert ends == ["one", "two"], "the fullest and the emptiest"


def test_idle_disks_are_quiet(measured: Measured) -> None:
    for advisory in (FULL, UNEVEN, LATE):
        finding = measured.finding(IDLE, advisory)
        assert (finding["verdict"], finding["subjects"], finding["missing"]) == ("not_affected", [], []), advisory


def test_seconds_say_nothing_of_days(measured: Measured) -> None:
    finding = measured.finding(HASTY, FULL)
    assert (finding["verdict"], finding["subjects"]) == ("unknown", [])
    (missing,) = finding["missing"]
    assert "at least 6 hours have to be measured" in missing
    assert not lines(finding, "until the disk is full")
    assert measured.finding(HASTY, LATE)["verdict"] == "not_affected", "late by seconds"


def test_the_points_are_the_broker_s_own_reads(measured: Measured) -> None:
    points = [one for one in measured.facts("disk_points", cluster=FILLING) if one["log_dir"].endswith("both/first")]
    assert {one["log_dirs"] for one in points} == {2}
    assert {one["total_bytes"] for one in points} == {DISK_MIB * MIB}
    thirds = sorted((one for one in points if one["spacing"] == "thirds"), key=lambda one: one["read_at"])
    assert len(thirds) in (3, 4), "the first read, and the last of each third that has one"
    assert all(math.isclose(b["from_used_bytes"], a["used_bytes"]) for a, b in pairwise(thirds))
    assert [one["used_bytes"] for one in thirds] == sorted(one["used_bytes"] for one in thirds)
