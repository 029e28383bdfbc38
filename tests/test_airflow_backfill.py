"""`airflow backfill create` under a real `airflow standalone`: three days that were judged are judged once more.

The first time, one day is judged by a backfill of its own and two by hand, as the command line does it. While Airflow
runs, its UI's page of the fleet is visited.
"""

import json
from typing import NamedTuple
from urllib.parse import quote

import pytest

from airflow_home import AirflowHome, Listener, Run, Standalone
from airflow_web import PAGES, Visit, visit
from analysed import by_hand
from mail_server import Mailbox, mail_server
from metric_sink import metric_sink
from stored_days import entries, pointers, published, store_day

pytestmark = pytest.mark.timeout(2700)  # about five minutes on two idle cores
DAYS = ["2026-11-09", "2026-11-10", "2026-11-11"]
CLUSTERS = ("follower331", "follower332")
STAGES = ("findings", "signatures", "reports")
SIGNATURES = ["fetch_latency"]  # of eight; tests/test_airflow_run.py judges a day by all of them
DONE = ("coverage", "facts", "judge", "letters", "publish")


class Seen(NamedTuple):
    """What there was after a backfill: files and pointers below the home, runs and task states in the metadata."""

    files: dict[tuple[str, str], dict[str, bytes]]
    pointers: dict[str, str]
    runs: dict[str, Run]
    states: dict[str, dict[tuple[str, str | None], str]]


class Story(NamedTuple):
    """Both backfills, a visit of the page; what was mailed and listened meanwhile; processes left after the stop."""

    first: Seen
    again: Seen
    page: Visit
    metrics: bytes
    mails: list[str]
    listeners: set[Listener]
    left: int


def look(airflow: AirflowHome) -> Seen:
    runs = {run.day: run for run in airflow.runs("fleet_health") if run.day in DAYS}
    files = {(stage, day): published(airflow.home, stage, day) for stage in STAGES for day in DAYS}
    return Seen(files, pointers(airflow.home), runs, {day: airflow.states(run.run_id) for day, run in runs.items()})


def backfill(airflow: AirflowHome, days: list[str], *options: str) -> tuple[Seen, Visit, Standalone]:
    """Create a backfill of these days, let `airflow standalone` run it, and wait until Airflow has closed it.

    It is created before the scheduler is up: SQLite lets one process write, and half a backfill cannot be repeated.
    """
    conf = json.dumps({"signatures": SIGNATURES})
    span = ("--from-date", days[0], "--to-date", days[-1])
    number = airflow.backfill("--dag-id", "fleet_health", *span, "--dag-run-conf", conf, *options)
    with airflow.standalone() as running:
        print(f"{len(days)} days in {running.wait(airflow.has_no_open_backfill, 'the backfill'):.0f} s")
        visited = visit(airflow, next(run.run_id for run in airflow.runs("fleet_health") if run.day == days[0]))
    assert sum(run.backfill == number for run in airflow.runs("fleet_health")) == len(days)
    return look(airflow), visited, running


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    mailbox = Mailbox()
    with mail_server(mailbox) as port, metric_sink() as sink:
        airflow = AirflowHome(tmp_path_factory.mktemp("backfill"), {"version": 1, "clusters": entries(*CLUSTERS)}, port)
        airflow.environment |= sink.settings() | {"KAFKA_FLEET_DEADLINE_HOURS": "0.001"}  # every run is late
        for day in DAYS:
            store_day(airflow.home, day, *CLUSTERS)
        airflow.run("dags", "reserialize")
        airflow.run("dags", "unpause", "fleet_health")
        for day in DAYS[1:]:
            by_hand(airflow.home, day, airflow.fleet_file, SIGNATURES)
        first, page, one = backfill(airflow, DAYS[:1])
        again, _page, other = backfill(airflow, DAYS, "--reprocess-behavior", "completed")
    left = [*one.members(), *other.members()]
    return Story(
        first, again, page, b"".join(sink.bodies), mailbox.recipients, one.listeners | other.listeners, len(left)
    )


@pytest.mark.parametrize(("which", "days"), [("first", DAYS[:1]), ("again", DAYS)])
def test_each_day_is_judged_by_a_run_of_the_backfill(story, which, days):
    seen = getattr(story, which)
    assert {day: (run.run_type, run.state) for day, run in seen.runs.items()} == dict.fromkeys(
        days, ("backfill", "success")
    )
    for states in seen.states.values():
        assert {(task, None): states[(task, None)] for task in DONE} == {(task, None): "success" for task in DONE}
        assert {label for task, label in states if task == "render"} == set(CLUSTERS)
        assert {state for (task, _label), state in states.items() if task == "render"} == {"success"}


def test_the_second_backfill_is_another_one_and_makes_a_generation_of_its_own(story):
    (before,), (after,) = ({run.backfill for run in seen.runs.values()} for seen in (story.first, story.again))
    assert before < after
    for generation, seen in (("g0001", story.first), ("g0002", story.again)):
        folders = {f"{stage}/ds={day}" for stage in STAGES for day in DAYS}
        assert {seen.pointers[folder] for folder in folders} == {generation}
        assert set(seen.pointers.values()) == {generation}, "facts follow too"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("day", DAYS)
def test_findings_and_letters_are_the_same_bytes_again(story, stage, day):
    first, again = story.first.files[(stage, day)], story.again.files[(stage, day)]
    assert first == again
    if stage == "reports":
        assert set(first) == {"index.html"} | {f"{c}.{kind}" for c in CLUSTERS for kind in ("html", "txt")}
    assert all(len(content) > 2 for content in first.values())


def test_a_day_reads_like_itself(story):
    for day in DAYS:
        letter = story.first.files[("reports", day)][f"{CLUSTERS[0]}.txt"].decode()
        assert day in letter
        assert not set(DAYS) - {day} & set(letter.split())


def test_a_backfill_mails_nobody(story):
    assert story.mails == []
    for states in (*story.first.states.values(), *story.again.states.values()):
        assert {state for (task, _label), state in states.items() if task == "mail"} == {"skipped"}


def test_only_loopback_listens_and_nothing_is_left(story):
    assert {one.address for one in story.listeners} <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
    assert story.listeners, "the API server does listen"
    assert story.left == 0


def test_the_page_shows_the_judged_days_to_users_and_nothing_to_strangers(story):
    assert story.page.stranger == dict.fromkeys(PAGES, 401) | {"nowhere": 404}
    assert {path: code for path, (code, _text) in story.page.user.items()} == dict.fromkeys(PAGES, 200) | {
        "nowhere": 404
    }
    fleet, cluster = (story.page.user[path][1] for path in ("?day=2026-11-09", "clusters/follower331"))
    assert [name for name in CLUSTERS if f'href="clusters/{name}?day=2026-11-09"' in fleet] == list(CLUSTERS)
    assert "KAFKA-14334" in cluster
    assert "<svg" in cluster
    assert (
        story.page.user["letters/2026-11-09/follower331"][1].encode()
        == story.first.files[("reports", DAYS[0])]["follower331.html"]
    )


def test_airflow_links_the_page_from_its_navigation_and_the_run_and_the_page_links_back(story):
    assert story.page.views == ["Fleet Health"]
    assert story.page.faults == 0
    assert story.page.links["Fleet Health"].endswith("/fleet-health/?day=2026-11-09")
    run = story.first.runs[DAYS[0]].run_id
    assert f"dags/fleet_health/runs/{quote(run)}" in story.page.user["?day=2026-11-09"][1]


@pytest.mark.parametrize(
    "name", ["day.sweeps", "day.lateness", "findings", "not_measured", "letters", "deadline_missed"]
)
def test_the_platform_reports_what_it_did_through_airflows_metrics(story, name):
    assert f"airflow.kafka_fleet.{name}".encode() in story.metrics
    assert b"example.org" not in story.metrics
