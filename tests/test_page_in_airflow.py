"""The Fleet Health page inside the UI of a real `airflow standalone`, in a real headless Chromium."""

from urllib.parse import unquote

import pytest

from airflow_browser import Look, look_inside
from airflow_home import AirflowHome
from letter_rows import DS
from published_days import four_days

pytestmark = pytest.mark.timeout(900)
CLUSTER, RUN = "payments-eu", "scheduled__2026-11-20T00:00:00+00:00"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Look:
    airflow = AirflowHome(tmp_path_factory.mktemp("standalone"), {"version": 1, "clusters": []})
    four_days(airflow.home)
    with airflow.standalone() as running:
        found = look_inside(airflow, DS, CLUSTER)
    assert running.members() == []
    return found


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
