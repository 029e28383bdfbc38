"""`kafka-fleet late --mail`: the platform's owners hear once of a day and reason, whatever the mail server does."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.mail.owner_alerts import OWNERS, alert_owners
from support.homes.watched_home import OTHER, PLATFORM
from support.servers.mail_server import mail_server, plain

pytestmark = pytest.mark.fault(70)

FIRST, SECOND, THIRD = "2026-11-18", "2026-11-19", "2026-11-20"


@pytest.fixture
def server(monkeypatch, box):
    """Serves `box` where KAFKA_FLEET_SMTP says; the platform has two owners."""
    monkeypatch.setenv(OWNERS, f"{PLATFORM}, not an address, {OTHER}")
    with mail_server(box) as port:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "fleet@example.org"}
        monkeypatch.setenv("KAFKA_FLEET_SMTP", json.dumps({"host": "127.0.0.1", "port": port, "extra": extra}))
        yield port


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
