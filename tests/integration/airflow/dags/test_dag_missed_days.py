"""Days on which the scheduler was down or the DAG paused: each is judged once, in order, and owners get one mail."""

from datetime import UTC, datetime, timedelta

import pendulum
import pytest
from airflow.jobs.job import Job
from airflow.jobs.scheduler_job_runner import SchedulerJobRunner
from airflow.models.dag import DagModel
from airflow.models.dagrun import DagRun
from airflow.models.serialized_dag import SerializedDagModel
from airflow.serialization.serialized_objects import DagSerialization
from airflow.timetables.base import DataInterval, TimeRestriction
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from sqlalchemy import delete, select

from fleet_airflow.settings import missed_days
from fleet_airflow.timetable import DailyWithMissedDays
from kafka_fleet.store.generations import current_generation
from support.airflow_runs.dag_runs import ARCHIVE, GONE, PAYMENTS
from support.builders.letter_rows import DS

pytestmark = [pytest.mark.fault(71), pytest.mark.sampled]


def midnight(text):
    return pendulum.instance(datetime.fromisoformat(f"{text}T00:00:00+00:00"))


def as_stored(dag):
    """The DAG as the scheduler has it: by way of its JSON."""
    return DagSerialization.from_dict(DagSerialization.to_dict(dag))


@pytest.fixture
def judged_when_back(bag, monkeypatch):
    """The days of the runs that the scheduler makes, in order, at a moment; last: the day of the last run."""
    dag = as_stored(bag.dags["fleet_health"])

    def run(last, now, catchup=False):
        moment = pendulum.instance(datetime.fromisoformat(now))
        monkeypatch.setattr("airflow.timetables.interval.utcnow", lambda: moment)
        interval = last and DataInterval(midnight(last), midnight(last).add(days=1))
        found = []
        while True:
            bounds = TimeRestriction(midnight("2026-01-01"), None, catchup)
            info = dag.timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=bounds)
            if info.run_after > moment:
                return found, info.run_after.isoformat()
            found.append(info.logical_date.date().isoformat())
            interval = info.data_interval

    return run


def test_every_missed_day_is_made_up_in_order_and_none_twice(judged_when_back):
    days = ["2026-11-20", "2026-11-21", "2026-11-22"]
    assert judged_when_back("2026-11-19", "2026-11-23T00:10:00+00:00") == (days, "2026-11-24T00:00:00+00:00")
    assert judged_when_back("2026-11-21", "2026-11-23T00:00:00+00:00")[0] == days[2:]
    assert judged_when_back("2026-11-22", "2026-11-23T12:00:00+00:00")[0] == []


def test_a_fresh_installation_begins_with_the_last_whole_day(judged_when_back):
    assert judged_when_back(None, "2026-11-23T00:10:00+00:00") == (["2026-11-22"], "2026-11-24T00:00:00+00:00")


def test_what_is_longer_ago_than_two_weeks_is_not_made_up(judged_when_back):
    found, _next = judged_when_back("2026-03-01", "2026-11-23T00:10:00+00:00")
    assert (len(found), found[0], found[-1]) == (15, "2026-11-08", "2026-11-22")
    early, _next = judged_when_back("2025-12-20", "2026-01-03T00:10:00+00:00")
    assert early == ["2026-01-01", "2026-01-02"], "and nothing before the DAG's start date"


def test_a_backfill_has_all_its_days(bag):
    dag = as_stored(bag.dags["fleet_health"])
    span = dag.iter_dagrun_infos_between(midnight("2026-02-01"), midnight("2026-03-31"))
    assert len(list(span)) == 59


def test_the_setting_goes_with_the_dag_and_zero_makes_nothing_up(monkeypatch):
    monkeypatch.setenv("KAFKA_FLEET_MISSED_DAYS", "3")
    assert DailyWithMissedDays.deserialize(DailyWithMissedDays(missed_days()).serialize()).missed_days == 3
    monkeypatch.setenv("KAFKA_FLEET_MISSED_DAYS", "many")
    with pytest.raises(ValueError, match="KAFKA_FLEET_MISSED_DAYS is 'many': a number of days, 0 for none"):
        missed_days()
    monkeypatch.setattr("airflow.timetables.interval.utcnow", lambda: midnight("2026-11-23"))
    last = DataInterval(midnight("2026-11-18"), midnight("2026-11-19"))
    bounds = TimeRestriction(None, None, catchup=False)
    none = DailyWithMissedDays(0).next_dagrun_info(last_automated_data_interval=last, restriction=bounds)
    assert none.logical_date == midnight("2026-11-22")


def test_airflows_own_scheduler_makes_a_run_of_each_missed_day(database, bag, python):
    """Its code and its database: the last run was four days ago, and the DAG is unpaused now."""
    assert python("-m", "airflow", "dags", "reserialize").returncode == 0
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    last = today - timedelta(days=5)
    days = [(last + timedelta(days=later)).date().isoformat() for later in (1, 2, 3, 4)]
    stored = SerializedDagModel.get_dag("fleet_health")
    with create_session() as session:
        session.execute(delete(DagRun).where(DagRun.dag_id == "fleet_health"))
        model = session.get(DagModel, "fleet_health")
        model.is_paused = False
        model.exceeds_max_non_backfill = False
        ran = stored.create_dagrun(
            run_id="scheduled__last",
            logical_date=last,
            data_interval=(last, last + timedelta(days=1)),
            run_after=last + timedelta(days=1),
            run_type=DagRunType.SCHEDULED,
            triggered_by=DagRunTriggeredByType.TIMETABLE,
            state=DagRunState.SUCCESS,
            session=session,
        )
        model.calculate_dagrun_date_fields(stored, reference_run=ran)
        session.commit()
        scheduler = SchedulerJobRunner(job=Job())
        made = []
        for _look in range(len(days) + 2):
            query, _assets = DagModel.dags_needing_dagruns(session)
            scheduler._create_dag_runs([one for one in query if one.dag_id == "fleet_health"], session)
            session.commit()
            queued = select(DagRun).where(DagRun.dag_id == "fleet_health", DagRun.state == DagRunState.QUEUED)
            for run in session.scalars(queued).all():
                made.append((run.logical_date.date().isoformat(), str(run.run_type)))
                run.state = DagRunState.SUCCESS
                model.exceeds_max_non_backfill = False
            session.commit()
        model.is_paused = True
    assert made == [(day, "scheduled") for day in days]


def test_three_days_at_once_are_one_mail_to_each_owner_which_names_the_two_that_were_late(run, box):
    """The day before the outage is told in time; then three days are judged in one morning."""
    days = [(datetime.fromisoformat(DS) + timedelta(days=later)).date().isoformat() for later in (-1, 0, 1, 2)]
    for ds in days:
        run.land(ds)
    assert run.scheduled(days[0]).state == "success"
    assert sorted(box.recipients) == [ARCHIVE, GONE, PAYMENTS]
    box.received.clear()
    back = f"{days[3]}T00:10:00+00:00".replace(
        days[3], str((datetime.fromisoformat(days[3]) + timedelta(days=1)).date())
    )
    late = [run.scheduled(ds, now=back) for ds in days[1:3]]
    assert [(seen.state, seen.letters, seen.mailed) for seen in late] == [("success", "g0001", [])] * 2
    assert f"not mailed: {days[1]} is judged late; the next letter says so" in late[0].log
    newest = run.scheduled(days[3], now=back)
    assert (newest.state, sorted(newest.mailed)) == ("success", [ARCHIVE, GONE, PAYMENTS]), "though nothing changed"
    for _owner, message in box.received:
        for kind in ("plain", "html"):
            text = " ".join(message.get_body((kind,)).get_content().split())
            for ds in days[1:3]:
                assert f"{ds} was judged late and had no letter; nothing was confirmed on it." in text
            assert f"since the letter of {days[0]}" in text.lower()
    again = run.scheduled(days[3], now=back)
    assert (again.state, len(again.mailed)) == ("success", 3), "and it is sent once"
    assert current_generation(run.home / f"reports/ds={days[3]}") == "g0002"
    assert [(run.home / f"outbox/ds={ds}/_mailed.json").exists() for ds in days] == [True] * 4
