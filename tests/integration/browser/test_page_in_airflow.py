"""The Fleet Health page inside a real `airflow standalone`: in a headless Chromium, and for users of each role."""

import json
from urllib.parse import unquote

import pytest

from support.airflow_runs.airflow_home import AirflowHome
from support.airflow_runs.airflow_web import ROLES, WRITES, Rights, rights
from support.browser.airflow_browser import Look, look_inside
from support.builders.letter_rows import DS
from support.builders.published_days import four_days

pytestmark = [pytest.mark.sampled, pytest.mark.timeout(900)]
CLUSTER, RUN = "payments-eu", "scheduled__2026-11-20T00:00:00+00:00"


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Look, Rights]:
    airflow = AirflowHome(tmp_path_factory.mktemp("standalone"), {"version": 1, "clusters": []})
    users = ",".join(f"{user}:{role}" for user, role in ROLES.items())
    airflow.environment["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS"] = users
    four_days(airflow.home)
    with airflow.standalone() as running:
        found = look_inside(airflow, DS, CLUSTER), rights(airflow, CLUSTER, DS, "KAFKA-14334")
    assert running.members() == []
    return found


@pytest.fixture
def seen(visited: tuple[Look, Rights]) -> Look:
    return visited[0]


def test_a_user_without_the_permission_to_view_plugins_sees_nothing(visited):
    """In Airflow's simple auth manager that is a user without a role: each of its roles may view plugins."""
    reads = visited[1].reads
    assert set(reads["newcomer"].values()) == {403}
    assert set(reads["viewer"].values()) == set(reads["editor"].values()) == {200}


def test_programs_show_a_token_and_are_refused_as_people_are(visited):
    bearers = visited[1].bearers
    statuses = {user: {status for status, _text in found.values()} for user, found in bearers.items()}
    assert statuses == {"stranger": {401}, "newcomer": {403}, "viewer": {200}, "editor": {200}, "admin": {200}}
    for user in ("stranger", "newcomer"):
        assert all(list(json.loads(text)) == ["detail"] for _status, text in bearers[user].values())
    found, described, metrics = (text for _status, text in bearers["viewer"].values())
    assert [one["advisory"] for one in json.loads(found)["items"]] == ["KAFKA-14334"]
    assert json.loads(described)["servers"] == [{"url": "/fleet-health/api/v1"}]
    assert 'kafka_fleet_finding{cluster="payments-eu"' in metrics


def test_who_may_view_and_not_trigger_writes_nothing(visited):
    first, second = WRITES
    writes = visited[1].writes
    assert [(user, what, status) for user, what, status, _kept in writes] == [
        ("newcomer", first, 403), ("viewer", first, 403), ("editor", first, 303),
        ("newcomer", second, 403), ("viewer", second, 403), ("editor", second, 303),
    ]  # fmt: skip
    nobodys, viewers, written, *untouched, removed = [kept for *_who, kept in writes]
    assert nobodys is viewers is None
    assert b"KAFKA-14334" in written
    assert b"acknowledged_by: Airflow user editor" in written
    assert untouched == [written, written]
    assert b"KAFKA-14334" not in removed


def test_who_is_not_logged_in_is_asked_to_and_gets_nothing(seen):
    assert seen.stranger == 401
    assert "/auth/login" in seen.login


def test_the_page_is_a_view_of_airflows_own_frame(seen):
    assert len(seen.framed) == 1
    assert seen.framed[0].endswith("/fleet-health/")
    assert seen.headline.startswith("3 clusters: 1 has a confirmed bug")
    assert seen.reached == "Skip to the content", "the tabulator leads into the frame"


def test_it_leads_to_the_letter_and_to_the_run_that_judged_the_day(seen):
    assert "payments-eu" in seen.letter
    # Airflow's UI writes its address anew, with or without the signs of a time quoted
    assert unquote(seen.run).endswith(f"/dags/fleet_health/runs/{RUN}")


def test_nothing_outside_is_asked_nothing_is_blocked_and_axe_finds_nothing(seen):
    assert seen.hosts == {"127.0.0.1"}, "of Airflow's UI too"
    assert seen.complaints == []
    assert list(seen.axe.values()) == [{}, {}]
    assert seen.overflow <= 0
