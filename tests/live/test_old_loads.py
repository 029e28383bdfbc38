"""A coordinator of 0.11.0.0 forgets commits when it is restarted, which is confirmed; at 0.11.0.1 the same is quiet."""

import pytest

from support.live.measured import Measured
from support.live.old_loads import EACH, NEWEST, OLDER, RESTARTED, coordinated, read_again

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("old-loads"), pytest.mark.sampled("old-loads")]
NAME, ISSUE = "offset_rewind", "KAFKA-5600"


def test_members_read_again_what_they_had_committed(measured: Measured) -> None:
    again = read_again(measured.home, OLDER)
    assert all(again[group] > 100 for group in coordinated(0)), again
    assert not any(again[group] for group in coordinated(1)), "the other broker was not restarted"
    assert set(read_again(measured.home, NEWEST).values()) == {0}


def test_the_known_issue_is_confirmed(measured: Measured) -> None:
    (found,) = measured.state(OLDER, NAME)["detections"]
    assert (found["cause"], found["strength"]) == ("stale_load", "conclusive")
    figures = {line["metric"]: line["value"] for line in found["evidence"]}
    assert figures["groups that went back"] == EACH
    elsewhere = "running groups of coordinators that loaded nothing meanwhile, none of which went back"
    assert figures[elsewhere] == EACH
    again, back = read_again(measured.home, OLDER), measured.facts("offset_rewinds", cluster=OLDER)
    assert sorted(row["group_id"] for row in back) == sorted(coordinated(0))
    assert all(0 < row["records_back"] <= again[row["group_id"]] for row in back), "the least of what was read again"
    finding = measured.finding(OLDER, ISSUE)
    assert (finding["verdict"], finding["cause"]) == ("confirmed", "stale_load")
    assert f"broker {RESTARTED}" in finding["subjects"]
    assert not [one for one in measured.findings(OLDER) if one["advisory"] is None and one["signature"] == NAME]


def test_the_fixed_release_loads_every_commit(measured: Measured) -> None:
    assert measured.state(NEWEST, NAME)["state"] == "quiet"
    assert measured.finding(NEWEST, ISSUE)["verdict"] == "not_affected"
    rows = measured.facts("group_coordinators", cluster=NEWEST, group_id=coordinated(0)[0])
    assert len({row["coordinator_started_at"] for row in rows} - {None}) == 2, "the coordinator was restarted as well"
