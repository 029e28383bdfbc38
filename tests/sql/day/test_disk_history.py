"""Days before: facts of a day read last sweeps of seven days of disks, and apart of fourteen days of log ends."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from fleet_spark.facts import write_facts
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.store.generations import claim_generation
from kafka_fleet.store.raw.compaction import compact
from support.homes.recorded import Sweep, land_all, recorded_day, recording
from support.spark_runs.analysed import spark

pytestmark = [pytest.mark.timeout(600), pytest.mark.sampled("disk-history")]
TOTAL = 10**12


def sweeps(days: int) -> list[Sweep]:
    """The sweeps of a recorded cluster, and again on so many days before, on disks that fill by 50 GB a day."""
    found = []
    for back in range(days, -1, -1):
        for number, one in enumerate(recording("idle331")):
            used = 500 * 10**9 - back * 50 * 10**9 + number * 10**9
            one.tables["disks"] = [
                {"broker": row["broker"], "read_at": row["read_at"], "log_dir": "/data", "total_bytes": TOTAL,
                 "usable_bytes": TOTAL - used}
                for row in one.rows("brokers")
            ]  # fmt: skip
            one.move(timedelta(days=-back))
            found.append(one)
    return found


def facts(home: Path, ds: str) -> tuple[Day, list[dict[str, Any]]]:
    """The day, and its points of disks by days, of broker 1 in their order."""
    day = Day(spark().newSession(), home, ds, claim_generation(home, ds), sql_dir())
    write_facts(day, [], ["disk_points"])
    rows = [one for one in day.rows_of_fact("disk_points") if (one["broker"], one["spacing"]) == (1, "days")]
    return day, sorted(rows, key=lambda one: one["read_at"])


def test_a_day_sees_a_week_of_its_disks_and_of_nothing_else(tmp_path: Path) -> None:
    ds, last = recorded_day(), len(recording("idle331")) - 1
    land_all(tmp_path, sweeps(9))
    day, rows = facts(tmp_path, ds)
    assert [one["used_bytes"] // 10**9 for one in rows] == [500 - 50 * back + last for back in range(7, -1, -1)]
    seen = day.spark.sql("SELECT DISTINCT to_date(sweep_at) AS ds FROM raw_partitions").collect()
    assert len(seen) == 2, "the day and the one before"
    before = day.spark.sql("SELECT to_date(sweep_at) AS ds, sweep_at FROM raw_earlier_partitions").distinct().collect()
    assert len({row.ds for row in before}) == len(before) == 8, "the last sweep of each day from two to nine days ago"

    joined = tmp_path / "joined"
    land_all(joined, sweeps(3))
    for back in (3, 2, 1):
        before = min(one.at for one in recording("idle331")) - timedelta(days=back)
        compact(joined, before.date().isoformat())
    _day, again = facts(joined, ds)
    assert again == [one | {"from_read_at": None, "from_total_bytes": None, "from_used_bytes": None} if not n else one
                     for n, one in enumerate(rows[-4:])]  # fmt: skip
