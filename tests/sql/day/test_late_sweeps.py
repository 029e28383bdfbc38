"""A sweep lands when its day is judged, joined and mailed: a new generation; a revised letter if findings changed."""

import copy
import json
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_fleet.mail.dispatch import mail_letter
from kafka_fleet.mail.smtp_settings import SmtpSettings
from kafka_fleet.store.raw.compaction import compact, remove_superseded, tidy
from kafka_fleet.store.raw.manifests import manifests
from support.builders.mailed_days import subjects
from support.builders.published_days import Json
from support.homes.recorded import Sweep, land_all, recorded_day, recording
from support.homes.stored_days import entries, pointers, published
from support.servers.mail_server import Mailbox
from support.spark_runs.analysed import by_hand

pytestmark = [pytest.mark.sampled, pytest.mark.timeout(1200)]
CLUSTER, OWNERS, BUG = "follower331", ["oncall@example.org"], "KAFKA-14334"
DS = recorded_day()
NEXT = date.fromisoformat(DS) + timedelta(days=1)
LONG_AFTER = datetime(2100, 1, 1).timestamp()


def later(sweep: Sweep, seconds: int) -> Sweep:
    """The same sweep of the same processes, which began when they did."""
    moved = copy.deepcopy(sweep)
    by = timedelta(seconds=seconds)
    moved.at += by
    for row in (row for rows in moved.tables.values() for row in rows):
        row |= {name: value + by for name, value in row.items() if isinstance(value, datetime)}
    return moved


def judge(home: Path) -> dict[str, Any]:
    """Judge the day, write its letters; gives the finding of the bug, and how many sweeps the day has."""
    fleet = home.parent / "fleet.yaml"
    fleet.write_text(yaml.safe_dump({"version": 1, "clusters": entries(CLUSTER)}))
    by_hand(home, DS, fleet, ["fetch_latency"])
    found = published(home, "findings", DS)
    rows: list[Json] = json.loads(found["findings.json"])
    about = json.loads(found[f"clusters/{CLUSTER}.json"])
    return {
        "verdict": next(row["verdict"] for row in rows if row["advisory"] == BUG),
        "sweeps": about["coverage"]["sweeps"],
        "generations": set(pointers(home).values()),
    }


@pytest.mark.fault(48)
def test_late_sweeps_revise_a_compacted_day_and_its_letter_only_if_findings_changed(
    tmp_path: Path, box: Mailbox, smtp: SmtpSettings
) -> None:
    home = tmp_path / "home"
    first, *rest = recording(CLUSTER)
    quiet = [first, later(first, 15), later(first, 30)]  # nobody reads yet: no counter moves
    busy = [later(one, 30) for one in rest]
    between = later(first, 22)

    land_all(home, quiet)
    assert compact(home, DS, NEXT)[CLUSTER][0] == 2
    assert remove_superseded(home, DS, LONG_AFTER) > 0
    assert judge(home) == {"verdict": "exposed", "sweeps": 3, "generations": {"g0001"}}
    assert mail_letter(home, DS, CLUSTER, OWNERS, smtp).sent == OWNERS

    land_all(home, busy)
    assert compact(home, DS, NEXT) == {}, "a day that is joined is left alone"
    assert judge(home) == {"verdict": "confirmed", "sweeps": 7, "generations": {"g0002"}}
    assert mail_letter(home, DS, CLUSTER, OWNERS, smtp).sent == OWNERS
    assert mail_letter(home, DS, CLUSTER, OWNERS, smtp).sent == []

    land_all(home, [between])
    tidy(home, LONG_AFTER)
    assert len(manifests(home, DS)[0]) == 8
    assert judge(home) == {"verdict": "confirmed", "sweeps": 8, "generations": {"g0003"}}
    assert mail_letter(home, DS, CLUSTER, OWNERS, smtp).ok
    told = subjects(box)
    assert len(told) == 2
    assert told[0].startswith(f"{CLUSTER}: nothing confirmed; ")
    assert told[1].startswith(f"Revised: {CLUSTER}: ")
    assert f"({BUG})" in told[1]

    in_time = tmp_path / "in_time"
    land_all(in_time, sorted([*quiet, *busy, between], key=lambda one: one.at))
    judge(in_time)
    for stage in ("findings", "signatures", "reports"):
        assert published(home, stage, DS) == published(in_time, stage, DS)
