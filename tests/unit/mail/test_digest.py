"""One mail for an owner of several clusters: what changed of each, the most pressing first, no news no mail."""

import json
from datetime import date, timedelta

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.mail.digest import MOST_ATTACHED, SETTING, compose_digest, digest_name, digest_owners, mail_digest
from kafka_fleet.mail.dispatch import HEARTBEAT
from kafka_fleet.report.letter import MAX_BYTES
from support.builders.letter_rows import DS, finding
from support.builders.published_days import confirmed, day, dossier, exposed, publish_day
from support.servers.mail_server import mail_server

OWNER = "team@example.org"
CLUSTERS = ["a-dev", "b-prod", "c-prod"]


def later(days):
    return (date.fromisoformat(DS) + timedelta(days=days)).isoformat()


def write(home, ds, without=(), **rows):
    """A judged day of the three clusters: a-dev in development, the others in production."""
    found = {name: rows.get(name.replace("-", "_"), [exposed()]) for name in CLUSTERS if name not in without}
    tier = {"a-dev": "development"}
    publish_day(home, ds, {n: (dossier(n, ds, environment=tier.get(n, "production")), own) for n, own in found.items()})


@pytest.fixture
def send(tmp_path, smtp):
    """Sends the digest of a day."""
    return lambda ds: mail_digest(tmp_path, ds, OWNER, CLUSTERS, smtp)


def told(box):
    message = box.received[-1][1]
    return message["Subject"].strip(), " ".join(message.get_body(("plain",)).get_content().split()), message


def test_the_most_pressing_cluster_comes_first_by_its_weight(tmp_path, box, send):
    write(tmp_path, DS, a_dev=[confirmed()], c_prod=[confirmed()])
    assert send(DS).sent == [OWNER]
    subject, text, message = told(box)
    assert subject == f"3 clusters: confirmed, first digest (Kafka, {DS})"
    assert message["Importance"] == "high"
    places = [text.index(name) for name in ("c-prod (production)", "a-dev (development)", "b-prod (production)")]
    assert places == sorted(places)
    assert "weighs high; first letter: consumers read half a second late" in text
    html = message.get_body(("html",)).get_content()
    assert html.index(">c-prod<") < html.index(">a-dev<") < html.index(">b-prod<")
    files = sorted(one.get_filename() for one in message.iter_attachments())
    assert [f"{name}_{DS}.html" for name in CLUSTERS] == [file for file in files if file.endswith(".html")]
    assert f"c-prod_{DS}_evidence.csv" in files


def test_a_digest_that_nobody_has_yet_goes_out_with_the_letters_that_hold_now(tmp_path, box, send):
    write(tmp_path, DS)
    box.answers[OWNER] = "451 later"
    assert send(DS).deferred
    box.answers.clear()
    write(tmp_path, DS, b_prod=[exposed(), finding("CVE-2026-33557", "exposed")])  # its own words stay the same
    assert send(DS).sent == [OWNER]
    letters = {one.get_filename(): one.get_content() for one in told(box)[2].iter_attachments()}
    assert "CVE-2026-33557" in letters[f"b-prod_{DS}.html"]
    assert send(DS).already == [OWNER]


def test_what_changed_since_the_last_digest_and_only_that_is_shown(tmp_path, box, send):
    write(tmp_path, DS)
    send(DS)
    write(tmp_path, later(1), b_prod=[confirmed()])
    assert send(later(1)).sent == [OWNER]
    subject, text, message = told(box)
    assert subject == f"3 clusters: confirmed, 1 change (Kafka, {later(1)})"
    assert f"B-PROD ====== SINCE THE LETTER OF {DS}" in text
    assert "A-DEV ===" not in text
    files = {one.get_filename() for one in message.iter_attachments()}
    assert f"b-prod_{later(1)}.html" in files
    assert not any(name.startswith("a-dev") for name in files)


def test_nothing_changed_is_no_digest_until_the_heartbeat_and_the_same_day_is_sent_once(tmp_path, box, send):
    write(tmp_path, DS)
    assert send(DS).sent == [OWNER]
    assert send(DS).already == [OWNER]
    for days in range(1, 8):
        write(tmp_path, later(days))
        assert send(later(days)).unchanged_since == (DS if days < 7 else None)
    assert told(box)[0] == f"3 clusters: exposed, no change (Kafka, {later(7)})"
    assert "silence is not taken for health" in told(box)[1]
    assert len(box.received) == 2


def test_a_cluster_without_a_letter_is_named_and_costs_no_other_its_news(tmp_path, box, send, monkeypatch):
    monkeypatch.setenv(HEARTBEAT, "0")
    write(tmp_path, DS)
    send(DS)
    write(tmp_path, later(1), without=["a-dev"])
    assert send(later(1)).sent == [OWNER]
    assert "! a-dev: 2026-11-21 has no letter of a-dev" in told(box)[1]
    write(tmp_path, later(2), without=["a-dev"])
    assert send(later(2)).unchanged_since == later(1), "it was told"
    write(tmp_path, later(3), a_dev=[confirmed()])
    assert send(later(3)).sent == [OWNER]
    assert f"A-DEV ===== SINCE THE LETTER OF {later(1)}" in told(box)[1], "what was known before is compared with"


def test_who_gets_one():
    owners = {"a": ["x@example.org"], "b": ["x@example.org", "y@example.org"], "c": ["z@example.org"]}
    assert digest_owners(owners, {}) == {}
    assert digest_owners(owners, {SETTING: "*"}) == {"x@example.org": ["a", "b"]}
    assert digest_owners(owners, {SETTING: " z@example.org ,nobody@example.org"}) == {"z@example.org": ["c"]}
    assert digest_name("x@example.org") != digest_name("y@example.org")
    assert "example" not in digest_name("x@example.org")


@pytest.mark.sampled("large-fleets")  # some seconds by its size; smaller fleets run every time
def test_a_hundred_and_fifty_clusters_fit_into_a_mail(tmp_path):
    from kafka_fleet.config.acknowledgements import Acknowledgements
    from kafka_fleet.mail import digest

    names = [f"cluster-{number:03}" for number in range(150)]
    rows = [finding(f"CVE-2026-{number:05}", "exposed") for number in range(40)]
    publish_day(tmp_path, DS, {name: (dossier(name, DS), [confirmed(), *rows]) for name in names})
    none = Acknowledgements([], [])
    entries = [digest._entry(tmp_path, DS, name, "g0001", none, {name: {}}, day(1)) for name in names]
    html, text, files = compose_digest(DS, entries)
    assert len(html.encode()) <= MAX_BYTES
    assert html.count("<bdi>cluster-") >= 150, "the list is whole"
    assert "There is news of" in html
    assert sum(name.endswith(".html") for name in files) == MOST_ATTACHED
    assert f"{names[-1]} are not attached" in " ".join(text.split())


def test_the_command_sends_a_digest_in_place_of_letters(tmp_path, box, capsys, monkeypatch):
    write(tmp_path, DS, a_dev=[confirmed()])
    entry = {"environment": "production", "bootstrap_servers": ["127.0.0.1:9"]}
    agents = {"jolokia": {"brokers": {1: "http://127.0.0.1:9/"}}}
    owners = {"a-dev": [OWNER], "b-prod": [OWNER, "other@example.org"], "c-prod": ["other@example.org"]}
    clusters = [{"id": name, "owners": own, **entry, **agents} for name, own in owners.items()]
    (tmp_path / "fleet.yaml").write_text(json.dumps({"version": 1, "clusters": clusters}))
    monkeypatch.setenv(SETTING, OWNER)
    with mail_server(box) as port:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "fleet@example.org"}
        settings = {"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": extra}
        monkeypatch.setenv("KAFKA_FLEET_SMTP", json.dumps(settings))
        code = cli.main(["mail", "--fleet", str(tmp_path / "fleet.yaml"), "--home", str(tmp_path), "--date", DS])
    assert (code, capsys.readouterr().err) == (0, "")
    subjects = [(to, message["Subject"].strip().partition(":")[0]) for to, message in box.received]
    assert sorted(subjects) == [("other@example.org", "b-prod"), ("other@example.org", "c-prod"), (OWNER, "2 clusters")]
