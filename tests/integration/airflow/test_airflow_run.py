"""`airflow dags test` with the real Spark jobs and a real mail server: a day, a replay, a fault, and a sweep."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.airflow_runs.airflow_home import AirflowHome
from support.airflow_runs.held_secrets import (
    BROKEN,
    HELD,
    LOGIN,
    Collected,
    MailUsers,
    collected,
    page_answers,
    with_logins,
)
from support.homes.stored_days import entries, pointers, published, store_day
from support.inspection.canaries import hits
from support.servers.mail_server import Mailbox, mail_server

pytestmark = pytest.mark.timeout(2700)  # about three minutes on two idle cores
DAY = "2026-11-09"
CLUSTERS = ("follower331", "follower332")  # the first has KAFKA-14334, the second has its fix
LOST = {"id": "lost", "environment": "development", "owners": ["lost-oncall@example.org"]}
LOST |= {"bootstrap_servers": ["127.0.0.1:9"], "jolokia": {"brokers": {1: "http://127.0.0.1:9/jolokia"}}}
SIGNATURES = ["fetch_latency"]
STAGES = ("findings", "signatures", "reports")


class Seen(NamedTuple):
    """One run: task states, what it printed, and after it the files, the pointers and who has got a mail so far."""

    states: dict[tuple[str, str | None], str]
    printed: str
    files: dict[str, dict[str, bytes]]
    letters: dict[str, bytes]
    pointers: dict[str, str]
    mailed: list[str]


class Story(NamedTuple):
    """A day and a sweep into a bucket, in an Airflow that is still there, with its mail server."""

    airflow: AirflowHome
    mailbox: Mailbox
    good: Seen
    collected: Collected
    mail_users: set[tuple[bytes, bytes]]

    def leaks(self, *printed: str) -> list[str]:
        """Where a secret is: in files, in what the page answers, in mails, or in what was printed besides."""
        home = self.airflow.home
        parts = [part for _to, message in self.mailbox.received for part in message.walk() if not part.is_multipart()]
        texts = page_answers(home, self.airflow.fleet_file, DAY, *CLUSTERS, "broken")
        texts |= {"mails": "".join(str(part.get_content()) for part in parts), "raw mails": b"".join(self.mailbox.raw)}
        texts["printed"] = "".join((self.good.printed, self.collected.printed, *printed))
        return hits(HELD.values(), [home.parent / "events", home.parent], texts)


class Later(NamedTuple):
    """After it: a replay of the day, and the day with a sweep that Spark cannot read."""

    replayed: tuple[dict[tuple[str, str | None], str], str]
    fault: Seen


def damage(airflow: AirflowHome, cluster: str) -> None:
    """Make one data file of a sweep no Parquet at all, and its manifest agree with that: only the reader can notice."""
    sweep = next(one for one in manifests(airflow.home, DAY)[0][::-1] if one.cluster == cluster)  # has its own files
    path = airflow.home / f"raw/manifests/ds={DAY}/{cluster}.{sweep.sweep}.json"
    manifest = json.loads(path.read_text())
    content = b"not Parquet"
    file = next(file for file in manifest["files"] if file["table"] == "partitions")
    (airflow.home / file["path"]).write_bytes(content)
    file |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    path.write_text(json.dumps(manifest))


def judge(airflow: AirflowHome, mailbox: Mailbox) -> Seen:
    states, printed = airflow.dag_test("fleet_health", DAY, signatures=SIGNATURES, notify="always")
    files = {stage: published(airflow.home, stage, DAY) for stage in STAGES}
    shown = (airflow.home / f"reports/ds={DAY}").glob("*.[ht]*")
    letters = {path.name: path.read_bytes() for path in shown}
    return Seen(states, printed, files, letters, pointers(airflow.home), list(mailbox.recipients))


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    mailbox, users = Mailbox(), MailUsers()
    with mail_server(mailbox, authenticator=users, auth_required=True, auth_require_tls=False) as port:
        fleet = {"version": 1, "clusters": [*entries(*CLUSTERS), LOST, BROKEN]}
        airflow = AirflowHome(tmp_path_factory.mktemp("run"), fleet, port)
        with_logins(airflow, airflow.home.parent / "events", CLUSTERS[0])
        store_day(airflow.home, DAY, *CLUSTERS)
        yield Story(airflow, mailbox, judge(airflow, mailbox), collected(airflow, DAY), users.seen)


@pytest.fixture(scope="module")
def later(story: Story) -> Later:
    replayed = story.airflow.dag_test("fleet_replay", DAY, first=DAY, last=DAY, advisories=["KAFKA-14334"])
    for name in CLUSTERS:  # all of them: one alone would be set aside, and the day go on
        damage(story.airflow, name)
    return Later(replayed, judge(story.airflow, story.mailbox))


def test_every_task_of_a_good_day_succeeds(story):
    for task in ("coverage", "compact", "analyze", "letters", "publish", "tidy"):
        assert story.good.states[(task, None)] == "success"
    for name in (*CLUSTERS, "lost", "broken"):
        assert story.good.states[("render", name)] == "success"
    assert all(f"{name}: " in story.good.printed for name in CLUSTERS)
    assert f"sweeps of {DAY} are in" in story.good.printed


def test_findings_and_letters_are_published(story):
    findings = json.loads(story.good.files["findings"]["findings.json"])
    assert {row["ds"] for row in findings} == {DAY}
    assert {row["cluster"] for row in findings} == {*CLUSTERS, "lost"}
    verdicts = {row["cluster"]: row["verdict"] for row in findings if row["advisory"] == "KAFKA-14334"}
    assert verdicts == {"follower331": "confirmed", "follower332": "not_affected", "lost": "unknown"}
    reports = story.good.files["reports"]
    assert {f"{name}.{kind}" for name in CLUSTERS for kind in ("html", "txt")} < set(reports)
    assert all(DAY in reports[f"{name}.txt"].decode() for name in CLUSTERS)
    assert story.good.letters == reports, "and at the paths that people link to"
    assert {story.good.pointers[f"{stage}/ds={DAY}"] for stage in STAGES} == {"g0001"}


def test_other_dags_hear_of_the_day(story):
    day = {"ds": DAY, "generation": "g0001"}
    heard = [(task, uri.rstrip("/"), extra) for task, uri, extra in story.airflow.asset_events() if task != "collect"]
    assert sorted(heard) == [
        ("analyze", "fleet://findings", day),
        ("analyze", "fleet://marts", day),
        ("publish", "fleet://reports", day),
    ]


@pytest.mark.sampled("airflow-later")
def test_a_replay_says_when_it_would_have_fired_and_publishes_nothing(later):
    states, printed = later.replayed
    assert set(states.values()) == {"success"}
    assert f"follower331: KAFKA-14334 (confirmed): first fired {DAY}, published since {DAY}" in printed
    assert "follower332: KAFKA-14334" not in printed
    kept = "replays/r0001/findings"
    assert later.fault.pointers[f"{kept}/ds={DAY}"] == "g0001"
    assert not any(name.startswith("replays/r0001/reports") for name in later.fault.pointers)


def test_every_owner_gets_one_letter(story):
    owners = sorted(f"{name}-oncall@example.org" for name in (*CLUSTERS, "lost"))
    assert sorted(story.good.mailed) == owners, "what was not measured is told as well"
    assert {story.good.states[("mail", name)] for name in (*CLUSTERS, "lost")} == {"success"}


@pytest.mark.fault(1)
def test_a_cluster_that_was_never_reached_is_told_and_the_run_ends_well(story):
    assert set(story.good.states.values()) == {"success", "skipped"}
    findings = json.loads(story.good.files["findings"]["findings.json"])
    assert {row["verdict"] for row in findings if row["cluster"] == "lost"} == {"unknown"}
    letter = story.good.files["reports"]["lost.txt"].decode()
    assert letter.startswith("lost was never reached: nothing was measured, and nothing is known to be\nhealthy.")


def test_a_broken_entry_has_a_page_and_no_mail(story):
    assert story.good.states[("mail", "broken")] == "skipped"
    assert "nowhere" in story.good.files["reports"]["broken.txt"].decode()


@pytest.mark.sampled("airflow-later")
@pytest.mark.fault(58)
def test_a_spark_job_that_fails_is_red_and_changes_nothing_that_readers_see(story, later):
    states = later.fault.states
    assert states[("coverage", None)] == "success"
    assert states[("analyze", None)] == "failed"
    assert {states[(task, None)] for task in ("letters", "publish")} == {"upstream_failed"}
    assert "analyze [map index -1]" in later.fault.printed
    assert later.fault.files == story.good.files
    assert later.fault.letters == story.good.letters
    still = {name: followed for name, followed in later.fault.pointers.items() if not name.startswith("replays/")}
    assert still == story.good.pointers
    assert {still[f"{stage}/ds={DAY}"] for stage in STAGES} == {"g0001"}
    assert later.fault.mailed == story.good.mailed


@pytest.mark.fault(56)
def test_no_secret_is_in_any_file_log_xcom_rendered_field_letter_or_mail(story):
    assert story.leaks() == []


@pytest.mark.sampled("airflow-later")
@pytest.mark.fault(56)
def test_no_secret_is_in_what_a_replay_and_a_failed_day_leave(story, later):
    assert story.leaks(later.replayed[1], later.fault.printed) == []


@pytest.mark.fault(56)
def test_each_login_was_in_use_once_it_was_asked_for(story):
    """node_exporter is asked without one: its URL takes none, and it has no connection."""
    assert story.mail_users == {(LOGIN.encode(), HELD["mail"].encode())}
    assert story.collected.agents == {"Basic " + b64encode(f"{LOGIN}:{HELD['agent']}".encode()).decode()}
    assert story.collected.brokers == [(LOGIN, HELD["broker"])], "a refused login is not tried again"
    assert "it speaks Kafka and refuses the login" in story.collected.printed
    assert story.collected.hosts == [None]
    assert story.collected.refused == 0, "the bucket knows one key, and the connection alone has it"


@pytest.mark.fault(1, 39, 56)
def test_one_dead_cluster_is_red_and_the_others_are_measured(story):
    states, printed, home = story.collected[:3]
    assert states[("entries", None)] == states[("collect", "alive")] == "success"
    assert states[("collect", "dead")] == states[("collect", "broken (invalid entry)")] == "failed"
    assert "nothing was measured of dead" in printed
    (day,) = (home / "raw/manifests").iterdir()
    landed = manifests(home, day.name.removeprefix("ds="))[0]
    assert [sweep.cluster for sweep in landed] == ["alive", "dead"], "a failure is stored as well"
    read = {row["cluster"]: row["outcome"] for row in read_rows(home, landed, "brokers")}
    assert read == {"alive": "ok", "dead": "failed"}
    assert read_rows(home, landed, "partitions")
    assert [row["listen_drops"] for row in read_rows(home, landed, "hosts")] == [5]
