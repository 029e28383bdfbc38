"""`kafka-fleet late`: whether a day's letters are out, by the home alone; the platform's owners hear of it once."""

import json
import os
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.config.fleet import Fleet
from kafka_fleet.mail.deadline import HOURS, day_due
from kafka_fleet.mail.delivery import deliver
from kafka_fleet.mail.late_judgements import late_days
from kafka_fleet.mail.mailing_status import note_mailed
from kafka_fleet.mail.owner_alerts import OWNERS, alert_owners
from kafka_fleet.store.bucket import address
from kafka_fleet.store.fleet_snapshot import keep_fleet
from kafka_fleet.store.generations import claim_generation, publish
from kafka_fleet.store.raw.landing import land
from support.homes.bucket_home import next_home
from support.servers.mail_server import mail_server, plain

pytestmark = pytest.mark.fault(70)

FIRST, SECOND, THIRD = "2026-11-18", "2026-11-19", "2026-11-20"
PLATFORM, OTHER = "platform@example.org", "other@example.org"


class Said(NamedTuple):
    code: int
    out: str
    err: str


class Watch:
    """The home that is watched, and the command."""

    def __init__(self, home, capsys):
        self.home, self.capsys = home, capsys

    def __call__(self, *options):
        code = cli.main(["late", "--home", address(self.home), *options])
        return Said(code, *self.capsys.readouterr())

    def sweep(self, *days):
        for ds in days:
            land(self.home, "a", datetime.fromisoformat(f"{ds}T01:00:00Z"), {"sweeps": [{"admin_outcome": "ok"}]})

    def judge(self, ds, *stages, by_a_run=True):
        generation = claim_generation(self.home, ds)
        if by_a_run:
            keep_fleet(self.home, ds, generation, Fleet([], []))
        for stage in stages:
            publish(self.home / f"{stage}/ds={ds}", generation)
        return generation


@pytest.fixture(params=["folder", "bucket"])
def watch(request, tmp_path, capsys):
    if request.param == "folder":
        return Watch(tmp_path / "home", capsys)
    request.getfixturevalue("bucket_server")
    return Watch(next_home(), capsys)


@pytest.fixture
def here(tmp_path, capsys):
    return Watch(tmp_path / "home", capsys)


@pytest.fixture
def server(monkeypatch, box):
    """Serves `box` where KAFKA_FLEET_SMTP says; the platform has two owners."""
    monkeypatch.setenv(OWNERS, f"{PLATFORM}, not an address, {OTHER}")
    with mail_server(box) as port:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "fleet@example.org"}
        monkeypatch.setenv("KAFKA_FLEET_SMTP", json.dumps({"host": "127.0.0.1", "port": port, "extra": extra}))
        yield port


@pytest.mark.parametrize(
    ("now", "hours", "ds"),
    [
        ("2026-11-21T05:59:59", 6, SECOND),
        ("2026-11-21T06:00:00", 6, THIRD),
        ("2026-11-21T23:59:59", 6, THIRD),
        ("2026-11-21T00:00:00", 0.0, THIRD),
        ("2026-11-22T05:00:00", 30, SECOND),
    ],
)
def test_the_day_that_is_due_is_the_newest_whose_deadline_is_over(now, hours, ds):
    assert day_due(datetime.fromisoformat(now).replace(tzinfo=UTC), hours) == ds


def test_each_step_that_a_day_lacks_is_named_and_when_all_is_out_nothing_is_late(watch):
    assert watch("--date", FIRST)[:2] == (0, f"{FIRST}: nothing is late\n"), "a home without a sweep"
    watch.sweep(FIRST)
    assert watch("--date", FIRST)[:2] == (0, f"{FIRST}: nothing is late\n"), "an installation's first day"
    watch.sweep(THIRD)
    assert watch("--date", THIRD)[:2] == (1, f"no letters of {THIRD}: its sweeps are stored and are not judged\n")
    missing = f"no letters of {SECOND}: no sweep of that day is stored, so there is nothing to judge\n"
    assert watch("--date", SECOND)[:2] == (1, missing)
    watch.judge(THIRD, "findings")
    assert watch("--date", THIRD)[:2] == (
        1,
        f"no letters of {THIRD}: it is judged, and its letters are not published\n",
    )
    generation = watch.judge(THIRD, "findings", "reports")
    assert watch("--date", THIRD)[:2] == (1, f"the letters of {THIRD} are published and are not all mailed\n")
    assert watch("--date", FIRST).code == 1, "once a day was published the first one is due as well"
    note_mailed(watch.home, THIRD, generation)
    assert watch("--date", THIRD)[:2] == (0, f"{THIRD}: nothing is late\n")


def test_the_platforms_owners_are_told_once_of_a_day_and_reason(watch, server, box):
    watch.sweep(FIRST, SECOND)
    for _time in range(3):
        said = watch("--date", SECOND, "--mail")
        assert said.code == 0
        assert "'not an address' is no mail address" in said.err
    assert sorted(box.recipients) == [OTHER, PLATFORM]
    watch.judge(SECOND, "findings")
    assert watch("--date", SECOND, "--mail").code == 0
    assert box.recipients == [PLATFORM, OTHER] * 2, "another reason is told again"
    (_to, first), *_rest, (_to_last, last) = box.received
    assert (
        first["Subject"].strip()
        == f"Kafka Fleet Health: no letters of {SECOND}: its sweeps are stored and are not judged"
    )
    assert "its letters are not published" in last.get_body(("plain",)).get_content().replace("\n", " ")
    assert first["Auto-Submitted"] == "auto-generated"


def test_what_no_mail_server_takes_is_told_at_the_next_try(here, server, box, monkeypatch):
    here.sweep(FIRST, SECOND)
    settings = os.environ["KAFKA_FLEET_SMTP"]
    monkeypatch.setenv("KAFKA_FLEET_SMTP", json.dumps(json.loads(settings) | {"port": 9}))
    down = here("--date", SECOND, "--mail")
    assert (down.code, box.recipients) == (1, [])
    assert "not sent yet" in down.out
    monkeypatch.setenv("KAFKA_FLEET_SMTP", settings)
    assert here("--date", SECOND, "--mail").code == 0
    assert here("--date", SECOND, "--mail").code == 0
    assert sorted(box.recipients) == [OTHER, PLATFORM]


def test_a_word_of_another_reason_that_waits_goes_out_by_any_later_look(here, server, box):
    today = datetime.now(UTC).date()
    ds = (today - timedelta(days=1)).isoformat()
    gone = alert_owners(
        here.home, ds, "failed", f"the run of fleet_health for {ds} has failed: judge", [], [PLATFORM], plain(9)
    )
    assert (list(gone.deferred), box.recipients) == ([PLATFORM], [])
    assert here("--mail").code == 0
    assert here("--mail").code == 0
    assert box.recipients == [PLATFORM]
    assert box.received[0][1]["Subject"].strip().endswith("has failed: judge")


def test_a_word_that_cannot_be_read_holds_no_other_back(here, server, box):
    today = datetime.now(UTC).date()
    days = [(today - timedelta(days=back)).isoformat() for back in (1, 2)]
    for ds in days:
        alert_owners(
            here.home, ds, "failed", f"the run of fleet_health for {ds} has failed: judge", [], [PLATFORM], plain(9)
        )
    (here.home / f"outbox/ds={days[0]}/_platform-failed.json").write_text("{")
    said = here("--mail")
    assert said.code != 0
    assert f"outbox/ds={days[0]}/_platform-failed.json" in said.err + said.out
    assert box.recipients == [PLATFORM]
    assert days[1] in box.received[0][1]["Subject"]


def test_a_letter_names_a_day_before_it_that_was_measured_and_is_not_judged(here):
    here.sweep(FIRST, SECOND)
    assert late_days(here.home, "a", "2026-11-17", THIRD) == (
        f"{FIRST} was measured and is not judged.",
        f"{SECOND} was measured and is not judged.",
    )
    assert late_days(here.home, "b", "2026-11-17", THIRD) == ()


def test_an_address_that_is_refused_is_said_each_time_and_offered_once(here, server, box):
    offered = []

    class Refusing(dict):
        def __contains__(self, to):
            offered.append(to)
            return super().__contains__(to)

    box.answers = Refusing({PLATFORM: "550 no such user"})
    here.sweep(FIRST, SECOND)
    for _time in range(2):
        said = here("--date", SECOND, "--mail")
        assert said.code == 1
        assert f"refused {PLATFORM}: the mail server answered 550 no such user" in said.out
    assert (offered, box.recipients) == ([PLATFORM, OTHER], [OTHER])


def test_of_days_that_no_run_of_this_version_judged_the_outbox_alone_tells(here, box, smtp):
    here.sweep(FIRST, SECOND)
    here.judge(SECOND, "findings", "reports", by_a_run=False)
    assert here("--date", SECOND).code == 0
    box.answers["gone@example.org"] = "550 no such user"
    letter = (here.home, SECOND, "a", "<p>1</p>", "1", "a letter", ["a@example.org", "gone@example.org"])
    deliver(*letter, smtp, "digest")
    said = here("--date", SECOND)
    assert said[:2] == (1, f"the letters of {SECOND} are published and are not all mailed: not to gone@example.org\n")
    box.answers.clear()
    deliver(*letter, smtp, "digest")
    assert here("--date", SECOND).code == 0


def test_a_damaged_pointer_is_late_and_says_so(here):
    here.sweep(FIRST, SECOND)
    here.judge(SECOND, "findings", "reports")
    (here.home / f"reports/ds={SECOND}/_current.json").write_text("{")
    said = here("--date", SECOND)
    assert said.code == 1
    assert said.out.startswith(f"no letters of {SECOND}: ")
    assert "_current.json names no generation" in said.out


def test_an_outbox_that_cannot_be_read_keeps_nobody_in_the_dark(here, server, box):
    here.sweep(FIRST, SECOND)
    here.judge(SECOND, "findings", "reports")
    outbox = here.home / f"outbox/ds={SECOND}"
    outbox.mkdir(parents=True)
    (outbox / "a.json").write_text("{")
    said = here("--date", SECOND, "--mail")
    assert said.out.startswith(f"the letters of {SECOND} are published, and who has them is not known: ")
    assert "a.json: cannot be read" in said.out
    assert box.recipients == [PLATFORM, OTHER]


@pytest.mark.parametrize(
    ("hours", "owners", "options", "code", "sentence"),
    [
        ("soon", PLATFORM, (), 2, f"{HOURS} is 'soon': it is a number of hours, 0 for none"),
        ("6", "", ("--mail",), 2, f"{OWNERS} names nobody who could be told"),
        ("6", PLATFORM, ("--mail",), 2, "no mail server is set"),
        ("0", "", (), 0, f"{HOURS} is 0: no day is ever late"),
    ],
)
def test_settings_that_cannot_be_are_one_sentence(here, monkeypatch, hours, owners, options, code, sentence):
    for name in ("KAFKA_FLEET_SMTP", "AIRFLOW_CONN_SMTP_DEFAULT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(HOURS, hours)
    monkeypatch.setenv(OWNERS, owners)
    said = here(*options)
    assert said.code == code
    assert sentence in said.out + said.err


def test_without_a_date_the_newest_day_that_is_due_is_looked_at(here):
    due = day_due(datetime.now(UTC), 6)
    before = (datetime.fromisoformat(due) - timedelta(days=1)).date().isoformat()
    here.sweep(before, due)
    assert here()[:2] == (1, f"no letters of {due}: its sweeps are stored and are not judged\n")


def test_mailing_by_hand_is_noted_and_a_dry_run_is_not(here, server, box):
    from support.builders.published_days import confirmed, dossier, publish_day

    fleet = here.home.parent / "fleet.yaml"
    entry = {"id": "a", "environment": "production", "owners": ["a@example.org"], "bootstrap_servers": ["127.0.0.1:9"]}
    entry["jolokia"] = {"brokers": {1: "http://127.0.0.1:9/"}}
    fleet.write_text(json.dumps({"version": 1, "clusters": [entry]}))
    publish_day(here.home, THIRD, {"a": (dossier("a", THIRD), [confirmed()])})
    mail = ["mail", "--fleet", str(fleet), "--home", str(here.home), "--date", THIRD]
    noted = here.home / f"outbox/ds={THIRD}/_mailed.json"
    assert (cli.main([*mail, "--dry-run"]), noted.exists()) == (0, False)
    assert (cli.main(mail), noted.exists(), box.recipients) == (0, True, ["a@example.org"])
