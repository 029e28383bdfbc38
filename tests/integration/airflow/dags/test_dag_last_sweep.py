"""The last sweep of a day: a run waits for it, not for long, and judges the day once more where it came later still."""

from datetime import datetime, timedelta

import pytest
from airflow.models.dagrun import DagRun
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from sqlalchemy import delete, select

from fleet_airflow.settings import LAST_SWEEP_WAIT, SWEEP_RETRY_DELAY, SWEEP_TIMEOUT, SWEEPS_EVERY
from kafka_fleet.store.excluded_clusters import note_set_aside
from kafka_fleet.store.raw.landing import land
from support.airflow_runs.dag_runs import ARCHIVE, GONE, PAYMENTS
from support.builders.letter_rows import DS

pytestmark = [pytest.mark.fault(72), pytest.mark.sampled]

MIDNIGHT = datetime.fromisoformat(f"{DS}T00:00:00+00:00") + timedelta(days=1)
NEXT = MIDNIGHT.date().isoformat()


def late_sweep(home, cluster="archive-eu", ds=DS):
    at = datetime.fromisoformat(f"{ds}T23:50:00+00:00")
    land(home, cluster, at, {"sweeps": [{"admin_outcome": "ok"}]})


@pytest.fixture
def collecting(run):
    """Sets the state of a run of fleet_collect, which is made as the scheduler makes it."""

    def note(at, state):
        with create_session() as session:
            found = session.scalar(select(DagRun).where(DagRun.dag_id == "fleet_collect", DagRun.logical_date == at))
            if found is None:
                found = DagRun("fleet_collect", f"scheduled__{at.isoformat()}", run_type=DagRunType.SCHEDULED)
                found.logical_date = found.run_after = at
                found.triggered_by = DagRunTriggeredByType.TIMETABLE
                session.add(found)
            found.state = state

    yield note
    with create_session() as session:
        session.execute(delete(DagRun).where(DagRun.dag_id == "fleet_collect"))


def looks(seen):
    return seen.log.count("runs of fleet_collect are under way")


def test_a_day_waits_for_its_last_run_of_fleet_collect_without_holding_a_slot(run, collecting, monkeypatch):
    run.land()
    waiting = run.dag.get_task("collected")
    monkeypatch.setattr(waiting, "poke_interval", 0)
    collecting(MIDNIGHT - SWEEPS_EVERY, DagRunState.RUNNING)
    collecting(MIDNIGHT, DagRunState.RUNNING)  # the next day's first: nobody waits for it
    poke, asked = type(waiting).poke, []

    def landed_meanwhile(self, context):
        asked.append(context["ti"].state)
        if len(asked) == 3:
            late_sweep(run.home)
            collecting(MIDNIGHT - SWEEPS_EVERY, DagRunState.FAILED)  # one cluster was dead: it has ended all the same
        return poke(self, context)

    monkeypatch.setattr(type(waiting), "poke", landed_meanwhile)
    seen = run.scheduled()
    assert (seen.state, len(asked)) == ("success", 3)
    assert seen.log.count("1 runs of fleet_collect are under way") == 2
    assert waiting.mode == "reschedule"
    assert "archive-eu: 6 sweeps" in seen.log


def test_nothing_is_waited_for_beyond_the_collections_own_limits(run, collecting):
    run.land()
    collecting(MIDNIGHT - SWEEPS_EVERY, DagRunState.RUNNING)
    seen = run.scheduled(now=(MIDNIGHT + LAST_SWEEP_WAIT).isoformat())
    assert (seen.state, looks(seen)) == ("success", 0)
    assert f"{DS}: the time for its last sweep is over" in seen.log
    assert 2 * SWEEP_TIMEOUT + SWEEP_RETRY_DELAY < LAST_SWEEP_WAIT < timedelta(minutes=30)


def test_where_sweeps_come_by_other_means_nothing_is_waited_for(run):
    run.land()
    seen = run.scheduled()
    assert (seen.state, looks(seen)) == ("success", 1)


def triggered():
    """Runs of fleet_health that were triggered and wait for their turn: their parameters."""
    with create_session() as session:
        found = session.scalars(
            select(DagRun).where(DagRun.dag_id == "fleet_health", DagRun.run_type == DagRunType.OPERATOR_TRIGGERED)
        )
        return {one.run_id: one.conf for one in found}


@pytest.fixture(autouse=True)
def nothing_triggered(database):
    yield
    with create_session() as session:
        session.execute(delete(DagRun).where(DagRun.dag_id == "fleet_health"))


def test_a_sweep_that_comes_after_its_day_was_judged_has_the_day_judged_again(run, box, monkeypatch):
    run.land()
    run.land(NEXT)
    assert run.scheduled().state == "success"
    assert sorted(box.recipients) == [ARCHIVE, GONE, PAYMENTS]
    on_time = run.scheduled(NEXT)
    assert on_time.tasks[("late_sweeps", None)] == "skipped"
    assert (f"{DS} is left as it is: it has all its sweeps" in on_time.log, triggered()) == (True, {})

    late_sweep(run.home)
    for _try in range(2):  # a run that is cleared triggers no second one
        seen = run.scheduled(NEXT)
        assert seen.state == "success"
        assert "archive-eu: 2026-11-20 is judged with 5 of 6 sweeps" in seen.log
        assert triggered() == {f"late_sweeps__{DS}__after_g0001": {"ds": DS, "notify": "always"}}
    (conf,) = triggered().values()
    box.received.clear()
    again = run(**conf)
    assert (again.state, again.letters, again.mailed) == ("success", "g0002", []), "the findings are the same"
    assert run.scheduled(NEXT).tasks[("late_sweeps", None)] == "skipped"


def test_a_cluster_that_the_day_is_judged_without_is_no_reason_to_judge_it_again(run):
    run.land()
    run.land(NEXT)
    run.scheduled()
    late_sweep(run.home)
    note_set_aside(run.home, DS, "g0001", "facts", {"archive-eu": "Its numbers overflow a query."})
    assert run.scheduled(NEXT).tasks[("late_sweeps", None)] == "skipped"


def test_runs_by_hand_and_backfills_trigger_none(run):
    run.land()
    run.land(NEXT)
    run()
    late_sweep(run.home)
    seen = run(ds=NEXT)
    assert (seen.tasks[("late_sweeps", None)], triggered()) == ("skipped", {})


def test_of_a_day_that_was_missed_no_letter_goes_out_when_it_is_judged_again(run, box):
    run.land()
    run.land(NEXT)
    back = (MIDNIGHT + timedelta(days=1, minutes=10)).isoformat()
    run.scheduled(now=back)
    late_sweep(run.home)
    run.scheduled(NEXT, now=back)
    assert list(triggered().values()) == [{"ds": DS, "notify": "never"}]
