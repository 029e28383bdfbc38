"""What the platform's owners hear, once each: red runs, late letters, clusters that were set aside, kept raw."""

import errno
import logging
from datetime import UTC, datetime, timedelta

import pytest
from airflow.sdk.exceptions import AirflowFailException

from fleet_airflow.deadline import alerts, look_after_letters, no_letter
from fleet_airflow.notifier import PlatformOwnersNotifier
from kafka_fleet.mail.deadline import day_due
from kafka_fleet.mail.mailing_status import note_mailed
from kafka_fleet.store.excluded_clusters import note_set_aside
from kafka_fleet.store.generations import claim_generation, publish
from kafka_fleet.store.raw.landing import land
from support.airflow_runs.dag_runs import ARCHIVE, GONE, PAYMENTS, PLATFORM, smtp_default
from support.builders.letter_rows import DS

pytestmark = pytest.mark.sampled

LETTERS = [ARCHIVE, GONE, PAYMENTS]


@pytest.fixture(autouse=True)
def platform(monkeypatch):
    monkeypatch.setenv("KAFKA_FLEET_PLATFORM_OWNERS", f"{PLATFORM}, not an address ")


def told(box):
    """Subjects and texts of what the platform's owner got."""
    mine = [message for to, message in box.received if to == PLATFORM]
    bodies = [" ".join(one.get_body(("plain",)).get_content().split()) for one in mine]
    return [(one["Subject"].strip(), body) for one, body in zip(mine, bodies, strict=True)]


def sweep(home, *days):
    for ds in days:
        land(home, "a", datetime.fromisoformat(f"{ds}T01:00:00Z"), {"sweeps": [{"admin_outcome": "ok"}]})


@pytest.mark.fault(70)
def test_a_scheduled_run_that_fails_is_told_at_once_and_once(run, box, monkeypatch):
    run.land()

    def broken(task, context):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("fleet_airflow.spark_submit.FleetSparkSubmit.execute", broken)
    seen = run.scheduled()
    assert (seen.state, seen.mailed) == ("failed", [PLATFORM])
    ((subject, text),) = told(box)
    assert subject.startswith(f"Kafka Fleet Health: the run of fleet_health for {DS} has failed: analyze")
    assert "No space left on device" in text
    by_hand = run()
    assert (by_hand.state, by_hand.mailed) == ("failed", [PLATFORM]), "who starts a run looks at it"


@pytest.mark.fault(70)
def test_where_the_home_itself_is_the_trouble_the_word_goes_out_all_the_same(run, box, monkeypatch):
    run.land()
    (run.home / "outbox").write_text("a file where the folder belongs")
    monkeypatch.setenv("KAFKA_FLEET_KEEP_RAW_DAYS", "never")  # what makes the run red
    seen = run.scheduled()
    assert seen.state == "failed"
    assert PLATFORM in seen.mailed


@pytest.mark.fault(70)
def test_a_day_without_a_sweep_of_a_fleet_that_was_measured_before_is_told(run, box):
    run.land("2026-02-01", "archive-eu")
    seen = run.scheduled("2026-02-02")
    assert (seen.state, seen.mailed) == ("failed", [PLATFORM])
    assert "2026-02-02 has no stored sweep; a day cannot be measured afterwards" in told(box)[0][1]


def test_after_a_good_day_nobody_is_told_and_the_deadline_finds_its_letters_out(run, box, caplog):
    run.land()
    seen = run.scheduled()
    assert (seen.state, sorted(seen.mailed)) == ("success", LETTERS)
    assert seen.tasks[("mailed", None)] == "success"
    caplog.clear()
    caplog.set_level(logging.INFO)
    no_letter(context(state="success", end_date=f"{DS}T23:59:59Z"))
    assert "in time" in caplog.text
    assert sorted(box.recipients) == LETTERS


def context(**run):
    named = {"dag_run_id": "scheduled__x", "run_type": "scheduled", "logical_date": f"{DS}T00:00:00Z", "end_date": None}
    return {"dag_run": named | {"state": "running"} | run}


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        ({}, "has not ended after 6 hours"),
        ({"state": "failed", "end_date": f"{DS}T00:20:00Z"}, "has ended as failed"),
    ],
)
@pytest.mark.fault(70)
def test_at_the_deadline_a_run_without_letters_is_told_whether_it_runs_or_has_failed(run, box, ended, words):
    run.land()
    sweep(run.home, "2026-11-19")
    for _time in range(2):
        no_letter(context(**ended))
    ((subject, text),) = told(box)
    assert text.startswith(f"No letters yet: the run scheduled__x of fleet_health {words}. ")
    assert "no letters yet: the run scheduled__x" in subject
    assert "its sweeps are stored and are not judged" in text


def test_runs_of_a_backfill_are_counted_and_told_to_nobody(run, box, caplog):
    no_letter(context(run_type="backfill"))
    assert "no letters yet: the run scheduled__x of fleet_health has not ended after 6 hours" in caplog.text
    assert box.recipients == []


@pytest.mark.fault(70)
def test_collection_tells_of_late_letters_whatever_fleet_health_does(database, bag, fleet_home, box, monkeypatch):
    """Every ten minutes; it is told once, and while the mail server is down the task is red and tries again."""
    dag = bag.dags["fleet_collect"]
    monkeypatch.setattr(dag.get_task("letters_due"), "retry_delay", timedelta(seconds=0))
    due = day_due(datetime.now(UTC), 6)
    before = (datetime.fromisoformat(due) - timedelta(days=1)).date().isoformat()

    def look():
        run = dag.test()
        return next(str(one.state) for one in run.get_task_instances() if one.task_id == "letters_due")

    with smtp_default(box, monkeypatch):
        sweep(fleet_home, due)
        assert (look(), box.recipients) == ("success", []), "the first day of an installation"
        sweep(fleet_home, before)
    assert look() == "failed", "the mail server is down"
    with smtp_default(box, monkeypatch):
        assert [look(), look()] == ["success", "success"]
        assert box.recipients == [PLATFORM]
        assert f"No letters of {due}: its sweeps are stored and are not judged" in told(box)[0][1]
        generation = claim_generation(fleet_home, due)
        for stage in ("findings", "reports"):
            publish(fleet_home / f"{stage}/ds={due}", generation)
        note_mailed(fleet_home, due, generation)
        assert (look(), box.recipients) == ("success", [PLATFORM])


@pytest.mark.fault(65)
def test_clusters_that_a_day_is_judged_without_are_told_and_the_others_have_their_letters(run, box, monkeypatch):
    run.land()

    def execute(task, context, spark=run.spark):
        spark(task, context)
        note_set_aside(run.home, DS, "g0001", "facts", {"archive-eu": "Its numbers <b>overflow</b> a query."})

    monkeypatch.setattr("fleet_airflow.spark_submit.FleetSparkSubmit.execute", execute)
    seen = run.scheduled()
    assert (seen.state, sorted(seen.mailed)) == ("success", sorted([*LETTERS, PLATFORM]))
    ((subject, text),) = told(box)
    assert f"{DS} is judged without archive-eu" in subject
    assert "archive-eu: Its numbers <b>overflow</b> a query." in text
    html = next(message for to, message in box.received if to == PLATFORM).get_body(("html",)).get_content()
    assert "<b>overflow" not in html


def test_a_cluster_that_the_judge_left_out_costs_nobody_a_letter_when_that_cannot_be_told(run, box, monkeypatch):
    run.land()
    run.land(DS, "left-out")

    def execute(task, context, spark=run.spark):
        spark(task, context)
        (run.home / f"findings/ds={DS}/g0001/clusters/left-out.json").unlink()

    monkeypatch.setattr("fleet_airflow.spark_submit.FleetSparkSubmit.execute", execute)
    box.answers[PLATFORM] = "450 try later"
    seen = run.scheduled()
    assert (seen.state, sorted(seen.mailed)) == ("failed", LETTERS)
    waits = run.home / f"outbox/ds={DS}/_platform-absent.json"
    assert "the judge left no report of left-out" in waits.read_text(), "fleet_collect offers it again"


@pytest.mark.parametrize("hours", ["6h", "", "nan"])
def test_a_deadline_that_is_no_number_counts_as_six_hours_and_collection_says_so(hours, fleet_home, box, monkeypatch):
    """It would else take away both DAGs, and with them all sweeps, letters and words."""
    monkeypatch.setenv("KAFKA_FLEET_DEADLINE_HOURS", hours)
    (alert,) = alerts()
    assert alert.interval == timedelta(hours=6)
    due = day_due(datetime.now(UTC), 6)
    sweep(fleet_home, (datetime.fromisoformat(due) - timedelta(days=1)).date().isoformat(), due)
    with (
        smtp_default(box, monkeypatch),
        pytest.raises(AirflowFailException, match=rf"KAFKA_FLEET_DEADLINE_HOURS is '{hours}'.* 6 counts"),
    ):
        look_after_letters()
    assert f"No letters of {due}" in told(box)[0][1]


def test_old_raw_that_only_a_judgement_would_free_is_told_each_time_that_a_day_joins_it(run, box, monkeypatch):
    monkeypatch.setenv("KAFKA_FLEET_KEEP_RAW_DAYS", "2")
    run.land()
    days = [(datetime.fromisoformat(DS) - timedelta(days=back)).date().isoformat() for back in (1, 2, 3, 4)]
    sweep(run.home, *days[1:])
    sweep(run.home, days[0])
    monkeypatch.setattr(
        "kafka_fleet.store.raw.retention.trusted_time", lambda home: (datetime(2026, 11, 21).timestamp(), None)
    )
    run.scheduled()
    run.scheduled()
    ((subject, text),) = told(box)
    assert "old raw of 2 days is not deleted" in subject
    assert all(f"{ds}: it is not judged" in " ".join(text.split()) for ds in days[2:])


def test_the_notifier_of_another_dag_tells_the_platforms_owners_once(run, box):
    told_of = {"ti": "load", "dag": None, "logical_date": datetime(2026, 2, 3, tzinfo=UTC)}
    for _time in range(2):
        PlatformOwnersNotifier("{{ ti }} has failed", ["It is <b>late</b>"])(dict(told_of))
    ((subject, text),) = told(box)
    assert subject == "Kafka Fleet Health: load has failed"
    assert "It is <b>late</b> " in text
    assert [path.parent.name for path in run.home.glob("outbox/*/_platform-notifier.json")] == ["ds=2026-02-03"]
