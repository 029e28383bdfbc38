"""A job killed, out of memory or of disk, while Spark itself writes facts: readers keep the old day, a retry heals it.

`python -m benchmarks.killed_jobs` kills at many more moments.
"""

import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from benchmarks.killed_jobs import LARGE, NEW, OLD, command, on_their_way, run, stages, strike_while_spark_writes
from fleet_spark.facts import fact_queries, write_facts
from fleet_spark.judge import tables_needed, write_findings
from fleet_spark.query_profiles import OF_FEW_ROWS
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.store.generations import claim_generation
from support.failures.broken_disks import READ_ONLY, ROOT, disk, full, read_only
from support.homes.recorded import recorded_day, write_home
from support.homes.stored_days import pointers
from support.spark_runs.analysed import analyse, spark

pytestmark = [pytest.mark.sampled, pytest.mark.timeout(1200), pytest.mark.xdist_group("jobs")]
SIGNATURE = "fetch_latency"
# planned as the small day that it is: what is tested is how the JVM writes
SMALL = [word for key, value in OF_FEW_ROWS.items() for word in ("--conf", f"{key}={value}")]
SMALL += ["--conf", "spark.sql.shuffle.partitions=1"]
# a value of more than a gigabyte, from rows that are there: made in the task that writes it, not while planning
HUGE = "SELECT cluster, repeat(cluster, 120000000) AS huge FROM raw_broker_configs\n"


def job(home: Path, *more: str, settings: Sequence[str] = ()) -> list[str]:
    words = ["--signatures", SIGNATURE, *more]
    return command(home, NEW, *words, application=LARGE, settings=[*SMALL, *settings])


def retried(home: Path) -> None:
    """The whole job once more for the same generation, in this process."""
    day = Day(spark(), home, recorded_day(), NEW, sql_dir())
    write_facts(day, [], tables_needed(day.sql, [SIGNATURE]))
    write_findings(day, None, [], [SIGNATURE])


@pytest.mark.fault(42, 58)
def test_a_job_that_dies_while_spark_writes_changes_nothing_and_its_retry_heals(tmp_path: Path) -> None:
    home, sql = tmp_path / "home", tmp_path / "sql"
    write_home(home, ["follower331"])
    assert analyse(home, recorded_day(), signatures=[SIGNATURE]).generation == OLD
    assert claim_generation(home, recorded_day()) == NEW
    unharmed = stages(home)
    made = fact_queries(sql_dir(), tables_needed(sql_dir(), [SIGNATURE]))
    assert len(unharmed) == len(made) + 2, "findings and signatures besides"
    followed = pointers(home)

    killed = run(job(home), lambda started, _lines: strike_while_spark_writes(started, home))
    assert (killed.ended, killed.code) == (False, -signal.SIGKILL), "".join(killed.lines[-20:])
    assert on_their_way(home)
    assert (pointers(home), stages(home)) == (followed, unharmed)

    shutil.copytree(sql_dir(), sql)
    (sql / "marts/broker_settings.sql").write_text(HUGE)
    starved = run(job(home, "--sql", str(sql), settings=["--driver-memory", "512m"]), lambda *_: False)
    assert starved.code not in (0, -signal.SIGKILL)
    assert any("java.lang.OutOfMemoryError" in line for line in starved.lines), "".join(starved.lines[-20:])
    assert (pointers(home), stages(home)) == (followed, unharmed)

    retried(home)  # benchmarks/killed_jobs.py does this by spark-submit, too
    assert stages(home) == unharmed
    assert pointers(home) == dict.fromkeys(followed, NEW)
    assert list(home.rglob("_temporary")) == []


@pytest.mark.fault(43)
def test_a_full_disk_under_sparks_committer_changes_nothing_and_the_retry_heals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without root it is a folder that cannot be written: no limit of this process reaches a JVM that runs already."""
    with disk(tmp_path / "disk") as place:
        home = place / "home"
        write_home(home, ["follower331"])
        assert analyse(home, recorded_day(), signatures=[SIGNATURE]).generation == OLD
        unharmed, followed = stages(home), pointers(home)
        assert claim_generation(home, recorded_day()) == NEW
        day = Day(spark(), home, recorded_day(), NEW, sql_dir())
        reason = "No space left on device" if ROOT else os.strerror(READ_ONLY)
        # as on a large day: every table is written by Spark
        monkeypatch.setattr("fleet_spark.query_profiles.FEW_ROWS", 0)
        failed = pytest.raises((PySparkException, Py4JError), match=reason)
        with full(place, 64) if ROOT else read_only(place), failed:
            write_facts(day, [], tables_needed(day.sql, [SIGNATURE]))
        monkeypatch.undo()
        assert (pointers(home), stages(home)) == (followed, unharmed)

        retried(home)
        assert stages(home) == unharmed
        assert pointers(home) == dict.fromkeys(followed, NEW)
        assert list(home.rglob("_temporary")) == []
