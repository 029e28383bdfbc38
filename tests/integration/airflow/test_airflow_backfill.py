"""`airflow backfill create` on the services of docker-compose.yml: two days that were judged are judged once more.

PostgreSQL, a Spark master and worker, a mail server and Airflow's parts are real processes with the settings of the
compose file. The first time, one day is judged by hand, as the command line does it, on this machine's cores, and the
next by a backfill of its own: findings keep the day on which they began, so days are judged in their order. Then both
are by a backfill through the API, the last day first and side by side, for which Airflow clears the run that there is.
While Airflow runs, its UI's page of the fleet is visited.
"""

import json
import shutil
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import quote

import pytest

from kafka_fleet.mail.dispatch import mail_letter
from kafka_fleet.mail.outbox import Outbox
from support.airflow_runs.airflow_home import AirflowHome, Listener, Run, Standalone
from support.airflow_runs.airflow_web import PAGES, Visit, backfill_by_rest, visit
from support.compose.compose_stack import PARTS, ComposeHome, compose_stack
from support.homes.stored_days import entries, pointers, published
from support.servers.mail_server import Mailbox, mail_server, plain
from support.servers.metric_sink import metric_sink
from support.spark_runs.analysed import JUDGED_BY, judged_by_hand

pytestmark = [pytest.mark.sampled, pytest.mark.timeout(2700), pytest.mark.xdist_group("jobs")]  # four minutes alone
DAYS = ["2026-11-08", "2026-11-09"]
CLUSTERS = ("follower331", "follower332")
STAGES = ("findings", "signatures", "reports")
DONE = ("coverage", "analyze", "letters", "publish")


class Seen(NamedTuple):
    """What there was after a backfill: files and pointers below the home, runs and task states in the metadata."""

    files: dict[tuple[str, str], dict[str, bytes]]
    pointers: dict[str, str]
    runs: dict[str, Run]
    states: dict[str, dict[tuple[str, str | None], str]]


class Story(NamedTuple):
    """Both backfills, how often the last day's `analyze` was begun, a visit of the page.

    And what was mailed after the first, the second and once more by hand, listened meanwhile, and left after the stop.
    """

    first: Seen
    again: Seen
    tries: int
    page: Visit
    metrics: bytes
    mails: tuple[list[str], list[str], list[str]]
    listeners: set[Listener]
    left: int
    healthy: dict[str, str]
    stack: ComposeHome


def look(airflow: AirflowHome) -> Seen:
    runs = {run.day: run for run in airflow.runs("fleet_health") if run.day in DAYS}
    files = {(stage, day): published(airflow.home, stage, day) for stage in STAGES for day in DAYS}
    return Seen(files, pointers(airflow.home), runs, {day: airflow.states(run.run_id) for day, run in runs.items()})


def backfill(airflow: AirflowHome, running: Standalone, days: list[str], notify: str, rest: bool = False) -> Seen:
    """Create a backfill of these days, by the command or by the API, and wait for its end."""
    conf = {"signatures": JUDGED_BY, "notify": notify}
    if rest:
        number = backfill_by_rest(airflow, days, conf)
    else:
        span = ("--from-date", days[0], "--to-date", days[-1])
        number = airflow.backfill("--dag-id", "fleet_health", *span, "--dag-run-conf", json.dumps(conf))

    def over() -> bool:
        states = [run.state for run in airflow.runs("fleet_health") if run.backfill == number]
        return len(states) == len(days) and set(states) <= {"success", "failed"}

    # another one may begin only once Airflow has closed this one, up to half a minute later
    done = over if rest else airflow.has_no_open_backfill
    print(f"{len(days)} days in {running.wait(done, 'the backfill'):.0f} s")
    assert sum(run.backfill == number for run in airflow.runs("fleet_health")) == len(days)
    return look(airflow)


def sent_at(airflow: AirflowHome, name: str, day: str) -> list[str]:
    """When each letter of a cluster and day went out, as its outbox has it."""
    owners = [one for mail in Outbox(airflow.home, day, name, timedelta(0)).read() for one in mail.recipients.values()]
    return [str(one.at) for one in owners if one.state == "sent"]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    mailbox, folder = Mailbox(), tmp_path_factory.mktemp("backfill")
    fleet = {"version": 1, "clusters": entries(*CLUSTERS)}
    with mail_server(mailbox) as port, metric_sink() as sink, compose_stack(folder, fleet, port) as airflow:
        airflow.more |= sink.settings() | {"KAFKA_FLEET_DEADLINE_HOURS": "0.001"}  # every run is late
        shutil.copytree(judged_by_hand(*reversed(DAYS), *CLUSTERS), airflow.home, dirs_exist_ok=True)
        with airflow.standalone() as running:
            running.wait(lambda: airflow.knows("fleet_health"), "the DAG processor")
            airflow.run("dags", "unpause", "fleet_health")
            first = backfill(airflow, running, DAYS[1:], "auto")
            mails = list(mailbox.recipients)
            page = visit(airflow, first.runs[DAYS[1]].run_id)
            healthy = {part: airflow.healthy(part) for part in ("spark-master", "spark-worker", *PARTS)}
            again = backfill(airflow, running, DAYS, "always", rest=True)
            mailed = list(mailbox.recipients)
            for one in airflow.cluster:
                one.note_listeners()
        tries = airflow.tries(first.runs[DAYS[1]].run_id, "analyze")
        for name in CLUSTERS:
            assert mail_letter(airflow.home, DAYS[0], name, [f"{name}-oncall@example.org"], plain(port)).ok
        listeners = running.listeners.union(*(one.listeners for one in airflow.cluster))
    left = [*running.members(), *(process for one in airflow.cluster for process in one.members())]
    faults = {part: done.stdout + done.stderr for part, done in healthy.items() if done.returncode != 0}
    metrics, mails_of_all = b"".join(sink.bodies), (mails, mailed, mailbox.recipients[len(mailed) :])
    return Story(first, again, tries, page, metrics, mails_of_all, listeners, len(left), faults, airflow)


@pytest.mark.parametrize(("which", "days"), [("first", DAYS[1:]), ("again", DAYS)])
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


@pytest.mark.fault(46, 47)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("day", DAYS)
def test_findings_and_letters_are_the_same_bytes_again(story, stage, day):
    first, again = story.first.files[(stage, day)], story.again.files[(stage, day)]
    assert first == again
    if stage == "reports":
        assert set(first) == {"index.html"} | {f"{c}.{kind}" for c in CLUSTERS for kind in ("html", "txt")}
    assert all(len(content) > 2 for content in first.values())


@pytest.mark.fault(46)
def test_the_last_day_is_judged_by_a_run_and_by_that_run_cleared(story):
    (before, after) = (seen.runs[DAYS[1]] for seen in (story.first, story.again))
    assert before.run_id == after.run_id
    assert story.tries == 2


def test_a_day_reads_like_itself(story):
    for day in DAYS:
        letter = story.first.files[("reports", day)][f"{CLUSTERS[0]}.txt"].decode()
        assert day in letter
        assert not set(DAYS) - {day} & set(letter.split())


@pytest.mark.fault(46)
def test_a_backfill_mails_nobody_unless_it_is_told_to_and_nobody_twice(story):
    nobody, owners, more = story.mails
    assert (nobody, more) == ([], [])
    sent = {(name, day): sent_at(story.stack, name, day) for name in CLUSTERS for day in DAYS}
    letters = [f"{name}-oncall@example.org" for (name, _day), times in sent.items() for _one in times]
    assert sorted(owners) == sorted(letters)
    for name in CLUSTERS:
        first, last = (sent[name, day] for day in DAYS)
        assert len(last) <= len(first) == 1
        assert last == [] or max(last) < first[0], "the last day says nothing new once the first is told"
    for seen, day, expected in ((story.first, DAYS[1], {"skipped"}), (story.again, DAYS[0], {"success"})):
        states = seen.states[day]
        assert {state for (task, _label), state in states.items() if task == "mail"} == expected


def test_only_loopback_listens_and_nothing_is_left(story):
    assert {one for one in story.listeners if one.address not in ("127.0.0.1", "::1", "::ffff:127.0.0.1")} == set()
    programs = " ".join(one.program for one in story.listeners)
    assert "api_server" in programs, "the API server does listen"
    assert "java" in programs, "and so does Spark"
    assert story.left == 0


def test_every_health_check_of_the_compose_file_passes(story):
    assert story.healthy == {}


def test_the_executors_of_the_spark_cluster_did_the_work(story):
    applications = sorted((story.stack.folder / "spark-work").glob("app-*"))
    assert len(applications) == 1 + len(DAYS), "one for every day of both backfills"
    for application in applications:
        (executor,) = application.iterdir()
        assert "Finished task" in (executor / "stderr").read_text()
    for log in ("spark-master.log", "spark-worker.log"):
        assert "authentication enabled" in (story.stack.folder / log).read_text()


@pytest.mark.fault(56)
def test_no_secret_of_the_installation_is_in_a_log_a_letter_or_a_stored_row(story):
    holds = {"passwords.json": "AIRFLOW_ADMIN_PASSWORD", "spark-defaults.conf": "SPARK_SECRET"}
    files = [path for path in story.stack.folder.rglob("*") if path.is_file()]
    assert {"spark-master.log", "airflow-scheduler.log", "stderr", *holds} <= {path.name for path in files}
    for name, secret in story.stack.given.items():
        found = {path.name for path in files if secret.encode() in path.read_bytes()}
        assert found == {file for file, owner in holds.items() if owner == name}, name
    for file in holds:
        (path,) = [path for path in files if path.name == file]
        assert path.stat().st_mode & 0o077 == 0


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
        == story.first.files[("reports", DAYS[1])]["follower331.html"]
    )


def test_airflow_links_the_page_from_its_navigation_and_the_run_and_the_page_links_back(story):
    assert story.page.views == ["Fleet Health"]
    assert story.page.faults == 0
    assert story.page.links["Fleet Health"].endswith("/fleet-health/?day=2026-11-09")
    run = story.first.runs[DAYS[1]].run_id
    assert f"dags/fleet_health/runs/{quote(run)}" in story.page.user["?day=2026-11-09"][1]


@pytest.mark.parametrize(
    "name", ["day.sweeps", "day.lateness", "findings", "not_measured", "letters", "deadline_missed"]
)
def test_the_platform_reports_what_it_did_through_airflows_metrics(story, name):
    assert f"airflow.kafka_fleet.{name}".encode() in story.metrics
    assert b"example.org" not in story.metrics
