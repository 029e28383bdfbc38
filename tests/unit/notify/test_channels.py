"""What a channel is told: once, only what changed, again only where it is not known whether it came, and said so."""

import json
from pathlib import Path

import pytest
import requests

from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import fingerprint
from kafka_fleet.mail.mailing_status import letter_states, waiting_owners
from kafka_fleet.mail.outbox import OutboxError
from kafka_fleet.mail.published_letter import LetterError
from kafka_fleet.notify.delivery import notify_channels, outbox_name
from support.builders.channels import SECRET, cluster, connections, told
from support.builders.documents import of_finding
from support.builders.letter_rows import finding
from support.builders.mailed_days import CLUSTER, DAY, confirmed, later, quiet, write
from support.servers.channel_server import LOST, ChannelServer

BUG = fingerprint(CLUSTER, Finding.model_validate(confirmed()))


def events(server: ChannelServer, number: int = -1) -> list[tuple[str, str]]:
    return [(one["finding"], one["action"]) for one in server.requests[number].body["events"]]


def test_a_rerun_tells_nothing_twice(home: Path, other_end: ChannelServer) -> None:
    assert told(home, other_end).state == "sent"
    assert [told(home, other_end, minutes=wait).state for wait in (0, 60, 6000)] == ["already"] * 3
    assert len(other_end.requests) == 1
    body = other_end.requests[0].body
    assert (body["cluster"], body["day"], body["environment"], body["sent_again"]) == (
        CLUSTER, DAY, "production", False,
    )  # fmt: skip
    assert body["events"][0]["fingerprint"] == BUG
    assert events(other_end) == [("KAFKA-14334", "open")]


def test_a_day_that_changed_nothing_is_not_told_and_the_end_is_after_three_days(home: Path, other_end) -> None:
    told(home, other_end)
    write(home, [confirmed()], later(1))
    assert told(home, other_end, ds=later(1)).state == "nothing"
    states = []
    for days in (2, 3, 4, 5):
        write(home, [quiet()], later(days), state="quiet")
        states.append(told(home, other_end, ds=later(days)).state)
    assert states == ["nothing", "nothing", "sent", "nothing"]
    assert events(other_end) == [("KAFKA-14334", "close")]
    assert other_end.requests[-1].body["events"][0]["fingerprint"] == BUG


def test_what_could_not_be_measured_is_told_once_and_is_no_end(home: Path, other_end: ChannelServer) -> None:
    told(home, other_end)
    blind = quiet() | {"verdict": "unknown", "exposure": "unknown", "signature_state": "not_evaluated"}
    for days, state in ((1, "sent"), (2, "nothing"), (3, "nothing"), (4, "nothing")):
        write(home, [blind], later(days), state="not_evaluated")
        assert told(home, other_end, ds=later(days)).state == state
    assert events(other_end) == [("KAFKA-14334", "unseen")]


@pytest.mark.parametrize(("level", "state"), [("confirmed", "nothing"), ("look_alike", "nothing"), ("exposed", "sent")])
def test_a_channel_hears_what_its_level_asks_for(tmp_path: Path, other_end, level: str, state: str) -> None:
    write(tmp_path, [quiet()], state="quiet")
    assert told(tmp_path, other_end, level=level).state == state


def test_other_changes_are_not_told_and_are_not_forgotten(home: Path, other_end: ChannelServer) -> None:
    told(home, other_end)
    write(home, [confirmed(), finding("CVE-2026-33557", "exposed")], later(1))
    assert told(home, other_end, ds=later(1)).state == "nothing"
    write(home, [confirmed(), finding("CVE-2026-33557", "confirmed")], later(2))
    assert told(home, other_end, ds=later(2)).state == "sent"
    assert events(other_end) == [("CVE-2026-33557", "open")]


def test_what_is_acknowledged_is_not_told(home: Path, other_end: ChannelServer) -> None:
    accepted = of_finding({**confirmed(), "basis": []}, CLUSTER, DAY, "Upgrade is planned.", "o@example.org", later(30))
    assert told(home, other_end, acknowledged=Acknowledgements([accepted], [])).state == "nothing"
    assert told(home, other_end).state == "sent"


def test_a_day_that_is_judged_again_is_told_where_its_findings_changed(home: Path, other_end) -> None:
    told(home, other_end)
    write(home, [confirmed()], generation="g0002")
    assert told(home, other_end).state == "already"
    write(home, [confirmed(), finding("CVE-2026-33557", "confirmed")], generation="g0003")
    assert told(home, other_end).state == "sent"
    assert events(other_end) == [("CVE-2026-33557", "open")]
    assert told(home, other_end).state == "already"


@pytest.mark.parametrize("answer", [LOST, 500])
def test_an_answer_that_was_lost_is_one_more_message_that_says_so(home: Path, other_end, answer: int) -> None:
    other_end.status = lambda number: answer if number == 1 else 200
    assert told(home, other_end).state == "later"
    assert told(home, other_end, minutes=5).state == "later"  # within the lease nobody tries
    assert len(other_end.requests) == 1
    assert told(home, other_end, minutes=31).state == "sent"
    first, second = (one.body for one in other_end.requests)
    assert (first["sent_again"], second["sent_again"]) == (False, True)
    assert first["id"] == second["id"]
    assert told(home, other_end, minutes=70).state == "already"


def test_two_answers_that_were_lost_are_the_end_of_it(home: Path, other_end: ChannelServer) -> None:
    other_end.status = lambda number: LOST
    states = [told(home, other_end, minutes=minutes).state for minutes in (0, 31, 62, 93)]
    assert states == ["later", "later", "failed", "failed"]
    assert len(other_end.requests) == 2


def test_a_crash_before_the_message_is_no_message(home: Path, other_end, monkeypatch) -> None:
    def crash(*_words):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kafka_fleet.notify.delivery.sender", crash)
        with pytest.raises(KeyboardInterrupt):
            told(home, other_end)
    assert told(home, other_end, minutes=31).state == "sent"
    assert other_end.requests[0].body["sent_again"] is False


def test_a_crash_after_the_message_is_one_more_that_says_so(home: Path, other_end, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("kafka_fleet.mail.outbox.Outbox.settle", lambda *_words: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            told(home, other_end)
    assert told(home, other_end, minutes=31).state == "sent"
    assert [one.body["sent_again"] for one in other_end.requests] == [False, True]


@pytest.mark.parametrize(
    ("status", "state"), [(400, "failed"), (404, "failed"), (302, "failed"), (429, "later"), (503, "later")]
)
def test_what_was_surely_not_taken_is_offered_again_as_new(home, other_end, status, state) -> None:
    other_end.status = lambda number: status if number == 1 else 200
    found = told(home, other_end)
    assert (found.state, found.sentence) == (state, f"it answered {status}")
    assert told(home, other_end, minutes=1).state == "sent"
    assert [one.body["sent_again"] for one in other_end.requests] == [False, False]
    assert {one.path for one in other_end.requests} == {"/"}  # no redirect was followed


def test_nobody_listens(home: Path, other_end: ChannelServer) -> None:
    found = told(home, other_end, fields={"host": "http://127.0.0.1:1"})
    assert (found.state, found.sentence) == ("later", "no connection can be made")
    assert told(home, other_end).state == "sent"


def test_channels_are_told_apart_from_each_other_and_from_letters(home: Path, other_end: ChannelServer) -> None:
    entries = [{"via": via, "connection": "there"} for via in ("webhook", "slack", "teams", "pagerduty")]
    entries.insert(1, {"via": "webhook", "connection": "absent"})
    found = notify_channels(home, DAY, cluster(*entries), connections(other_end, password=f"{other_end.url}/{SECRET}"))
    assert [(one.channel, one.state) for one in found] == [
        ("webhook:there", "sent"), ("webhook:absent", "failed"), ("slack:there", "sent"), ("teams:there", "sent"),
        ("pagerduty:there", "sent"),
    ]  # fmt: skip
    assert found[1].sentence == "connection absent: there is none"
    assert waiting_owners(home, DAY) == []  # `kafka-fleet late` asks for letters
    assert set(letter_states(home, DAY).values()) == {0}


def test_a_dry_run_tells_nobody_and_writes_nothing(home: Path, other_end: ChannelServer) -> None:
    found = told(home, other_end, dry_run=True)
    assert (found.state, other_end.requests) == ("due", [])
    assert CLUSTER in found.sentence
    assert not (home / "outbox").exists()


@pytest.mark.parametrize(
    "body",
    [b"", SECRET.encode(), json.dumps({"message": f"no key {SECRET}", "errors": [SECRET, {"key": SECRET}]}).encode()],
)
def test_no_secret_is_stored_said_or_logged(home: Path, other_end, caplog, body: bytes) -> None:
    caplog.set_level("DEBUG")
    other_end.body = body
    other_end.status = lambda number: {1: LOST, 2: 404}.get(number, 200)
    for via in ("webhook", "slack", "teams", "pagerduty"):
        fields = {"password": f"{other_end.url}/{SECRET}"} if via in ("slack", "teams") else {}
        for minutes in (0, 31):
            found = told(home, other_end, via=via, minutes=minutes, fields=fields)
            assert SECRET not in repr(found)
    stored = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert SECRET.encode() not in stored
    assert other_end.url.encode() not in stored
    assert SECRET not in caplog.text
    requests.get(other_end.url, timeout=10)
    assert "Starting new HTTP connection" in caplog.text, "what others ask is logged as before"


def test_a_cluster_without_channels_reads_nothing(tmp_path: Path, other_end: ChannelServer) -> None:
    assert notify_channels(tmp_path, DAY, cluster(), connections(other_end)) == []


def test_no_letter_and_a_damaged_outbox_are_sentences(home: Path, other_end: ChannelServer) -> None:
    with pytest.raises(LetterError, match="nothing is published for 2020-01-01"):
        told(home, other_end, ds="2020-01-01")
    folder = home / f"outbox/ds={DAY}"
    folder.mkdir(parents=True)
    (folder / f"{outbox_name(CLUSTER)}.json").write_text("damaged")
    with pytest.raises(OutboxError, match="nothing is sent"):
        told(home, other_end)


def test_a_cluster_without_channels_is_declared_as_before() -> None:
    assert "notify" not in json.loads(cluster().declaration())
    (kept,) = json.loads(cluster({"via": "slack", "connection": "x"}).declaration())["notify"]
    assert kept == {"via": "slack", "connection": "x", "at_least": "confirmed"}
