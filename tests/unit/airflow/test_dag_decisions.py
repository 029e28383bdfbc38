"""What the tasks decide by themselves: the day, whose mail, which clusters, and how many share a task."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException

from fleet_airflow import params as choice
from fleet_airflow.mailing import Outcome, should_mail
from fleet_airflow.settings import batches

PLAN = {"ds": "2026-11-20", "generation": "g0001"}  # of a run that kept no fleet, as those of earlier versions


def test_the_day_is_the_parameter_else_the_logical_date():
    midnight = datetime(2026, 11, 20, tzinfo=UTC)
    assert choice.day_of("2026-11-01", midnight) == "2026-11-01"
    assert choice.day_of("2026-11-01", None) == "2026-11-01"
    assert choice.day_of(None, midnight) == "2026-11-20"
    assert choice.day_of(None, midnight + timedelta(hours=23, minutes=59)) == "2026-11-20"
    assert choice.day_of(None, datetime(2026, 11, 21, 1, tzinfo=timezone(timedelta(hours=9)))) == "2026-11-20"


@pytest.mark.parametrize(
    ("param", "sentence"), [(None, "parameter ds"), ("2026-13-01", "YYYY-MM-DD"), ("", "YYYY-MM-DD")]
)
def test_without_a_day_there_is_a_sentence(param, sentence):
    with pytest.raises(AirflowFailException, match=sentence):
        choice.day_of(param, None)


@pytest.mark.parametrize("run_type", ["scheduled", "manual", "backfill", "asset_triggered"])
def test_only_scheduled_runs_mail_by_themselves(run_type):
    assert should_mail("auto", run_type) is (run_type == "scheduled")
    assert should_mail("always", run_type)
    assert not should_mail("never", run_type)


@pytest.mark.parametrize(
    ("states", "raised", "told"),
    [
        (["sent", "skipped"], None, None),
        (["skipped", "skipped"], AirflowSkipException, "c0 skipped; c1 skipped"),
        (["sent", "failed"], AirflowFailException, "c1 failed"),
        (["later", "failed", "sent"], AirflowException, "c0 later; c1 failed"),  # tried again, for the first one's sake
    ],
)
def test_a_shared_mail_task_is_as_red_as_its_worst_letter(bag, fleet_home, monkeypatch, states, raised, told):
    callable_ = bag.dags["fleet_health"].get_task("mail").python_callable
    names = [f"c{number}" for number in range(len(states))]
    found = {name: Outcome(state, f"{name} {state}") for name, state in zip(names, states, strict=True)}
    asked = []
    monkeypatch.setitem(callable_.__globals__, "this_plan", lambda: PLAN)
    monkeypatch.setitem(callable_.__globals__, "mail_one", lambda name, owners, plan: asked.append(name) or found[name])
    if raised is None:
        callable_(clusters=names)
    else:
        with pytest.raises(raised) as error:
            callable_(clusters=names)
        assert type(error.value) is raised
        assert str(error.value) == told
    assert asked == names


def test_owners_of_digests_get_no_letters_and_the_others_do(bag, fleet_home, monkeypatch):
    tasks = {name: bag.dags["fleet_health"].get_task(name).python_callable for name in ("mail", "digest")}
    asked = []

    def note(name, who, _plan):
        asked.append((name, list(who)))
        return Outcome("sent", "")

    for task in tasks.values():
        for name in ("mail_one", "digest_one"):
            monkeypatch.setitem(task.__globals__, name, note)
        monkeypatch.setitem(task.__globals__, "this_plan", lambda: PLAN)
    tasks["mail"](clusters=["dead-one"])
    with pytest.raises(AirflowSkipException, match="nobody gets a digest"):
        tasks["digest"]()
    monkeypatch.setenv("KAFKA_FLEET_DIGESTS", "a@example.org")
    tasks["mail"](clusters=["dead-one"])
    tasks["digest"]()
    assert asked == [("dead-one", ["a@example.org"]), ("dead-one", []), ("a@example.org", ["dead-one"])]


def test_a_selection_keeps_the_known_order_and_names_what_is_unknown():
    assert choice.selected(None, ["a", "b"], "cluster") == ["a", "b"]
    assert choice.selected(["b", "a"], ["a", "b", "c"], "cluster") == ["a", "b"]
    with pytest.raises(AirflowFailException, match=r"no such cluster: x; known: a, b"):
        choice.selected(["x"], ["a", "b"], "cluster")


@pytest.mark.parametrize(("clusters", "tasks", "largest"), [(1, 1, 1), (100, 100, 1), (101, 51, 2), (1000, 100, 10)])
def test_large_fleets_share_mapped_tasks(clusters, tasks, largest):
    names = [f"c{number}" for number in range(clusters)]
    found = batches(names)
    assert [name for batch in found for name in batch] == names
    assert len(found) == tasks
    assert max(map(len, found)) == largest


def test_a_task_never_has_more_clusters_than_its_time_allows():
    assert max(map(len, batches([str(number) for number in range(20_000)]))) == 32
