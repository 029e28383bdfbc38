"""A message as each kind of channel takes it, and the address that a connection gives."""

import base64
import json
from pathlib import Path

import pytest

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.bodies import AGAIN, PAGERDUTY, posts
from kafka_fleet.notify.message import Event, Message
from support.builders.channels import told
from support.builders.mailed_days import confirmed, later, quiet, write

HOSTILE = "<!channel> [a](http://evil) <http://evil|x> *b* & \u202e"


def message(*actions: str, text: str = HOSTILE) -> Message:
    events = tuple(
        Event(f"{number:032}", action, f"KAFKA-{number}", HOSTILE, "exposed", "confirmed", "high", "https://p/#f")
        for number, action in enumerate(actions or ("open",))
    )
    return Message("payments-eu", "production", "2026-11-20", HOSTILE, text, "https://page/clusters/a", events)


def made(via: str, of: Message | None = None, again: bool = False, **fields):
    connection = Connection(**{"login": None, "password": None, "extra": {}, "host": "hooks.example.org", **fields})
    return posts(Channel(via=via, connection="there"), connection, of or message(), "<id>", again)


@pytest.mark.parametrize(
    ("via", "fields", "url", "login"),
    [
        ("webhook", {}, "https://hooks.example.org", None),
        ("webhook", {"host": "https://h.example.org/path"}, "https://h.example.org/path", None),
        ("webhook", {"port": 8443, "schema": "https"}, "https://hooks.example.org:8443", None),
        ("webhook", {"host": "http://127.0.0.1:80/x"}, "http://127.0.0.1:80/x", None),
        ("webhook", {"password": "token"}, "https://hooks.example.org", "Bearer token"),
        ("webhook", {"login": "u", "password": "p"}, "https://hooks.example.org", "Basic dTpw"),
        ("webhook", {"password": "https://h.example.org/?sig=x"}, "https://h.example.org/?sig=x", None),
        ("slack", {"host": "https://hooks.slack.com/services", "password": "/T0/B0/x"},
         "https://hooks.slack.com/services/T0/B0/x", None),
        ("teams", {"host": None, "password": "https://t.example.org:443/w?sig=x"},
         "https://t.example.org:443/w?sig=x", None),
        ("pagerduty", {"host": None, "password": "key"}, PAGERDUTY, None),
        ("pagerduty", {"host": "https://events.eu.pagerduty.com/v2/enqueue", "password": "key"},
         "https://events.eu.pagerduty.com/v2/enqueue", None),
    ],
)  # fmt: skip
def test_the_address_and_the_login_of_a_connection(via, fields, url, login) -> None:
    (post,) = made(via, **fields)
    assert (post.url, post.headers.get("Authorization")) == (url, login)
    assert base64.b64decode("dTpw") == b"u:p"
    assert "example" not in repr(post)


@pytest.mark.parametrize(
    ("via", "fields"),
    [
        ("webhook", {"host": None}),
        ("webhook", {"host": "http://hooks.example.org", "password": "canary"}),
        ("slack", {"host": "http://10.0.0.1", "password": "canary"}),
        ("teams", {"password": "http://t.example.org/canary"}),
        ("webhook", {"host": "ftp://canary"}),
        ("pagerduty", {}),
    ],
)
def test_an_address_without_tls_or_no_key_is_refused_in_a_sentence(via, fields) -> None:
    with pytest.raises(CredentialsError) as error:
        made(via, **fields)
    assert str(error.value).startswith("connection there: it")
    assert "canary" not in str(error.value)


def test_a_webhook_gets_all_of_it() -> None:
    (post,) = made("webhook", again=True)
    assert post.body["events"][0]["fingerprint"] == "0" * 32
    assert {key: post.body[key] for key in ("version", "id", "sent_again")} == {
        "version": 1, "id": "<id>", "sent_again": True,
    }  # fmt: skip
    assert Message.read(message().stored()) == message()


def test_slack_shows_foreign_words_as_plain_text() -> None:
    (post,) = made("slack", message(text="x" * 5000), again=True)
    assert [one["text"]["type"] for one in post.body["blocks"]] == ["plain_text"] * 3
    assert post.body["blocks"][1]["text"]["text"] == AGAIN
    assert all(len(one["text"]["text"]) <= 3000 for one in post.body["blocks"])
    assert "<" not in post.body["text"]
    assert "&lt;!channel&gt;" in post.body["text"]


def test_teams_shows_foreign_words_as_text_runs() -> None:
    (post,) = made("teams", message(text="x" * 50_000))
    (attachment,) = post.body["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert [one["type"] for one in attachment["content"]["body"]] == ["RichTextBlock"] * 2
    assert attachment["content"]["actions"][0]["url"] == "https://page/clusters/a"
    assert len(json.dumps(post.body)) < 28_000


def test_pagerduty_gets_an_event_for_each_finding() -> None:
    opened, closed = made("pagerduty", message("open", "close"), password="key")
    assert opened.body["event_action"] == "trigger"
    assert (opened.body["routing_key"], opened.body["dedup_key"]) == ("key", "0" * 32)
    assert opened.body["payload"]["severity"] == "error"
    assert opened.body["payload"]["source"] == "payments-eu"
    assert len(opened.body["payload"]["summary"]) <= 1024
    assert closed.body == {"routing_key": "key", "dedup_key": f"{1:032}", "event_action": "resolve"}


def test_an_incident_is_opened_once_and_resolved_when_the_finding_is_gone(tmp_path: Path, other_end) -> None:
    for days in range(6):
        rows = [confirmed()] if days < 2 else [quiet()]
        write(tmp_path, rows, later(days), state="detected" if days < 2 else "quiet")
        told(tmp_path, other_end, via="pagerduty", ds=later(days))
    bodies = [one.body for one in other_end.requests]
    assert [one["event_action"] for one in bodies] == ["trigger", "resolve"]
    assert len({one["dedup_key"] for one in bodies}) == 1


def test_what_pagerduty_could_not_take_in_between_is_posted_again_with_the_same_keys(tmp_path, other_end) -> None:
    second = confirmed() | {"advisory": "KAFKA-9752", "signature": None, "cause": None}
    write(tmp_path, [confirmed(), second])
    other_end.status = lambda number: 503 if number == 2 else 202
    assert told(tmp_path, other_end, via="pagerduty").state == "later"
    assert told(tmp_path, other_end, via="pagerduty", minutes=31).state == "sent"
    keys = [one.body["dedup_key"] for one in other_end.requests]
    assert len(keys) == 4
    assert keys[:2] == keys[2:]
    assert keys[0] != keys[1]


def test_what_could_not_be_measured_leaves_an_incident_open(tmp_path: Path, other_end) -> None:
    write(tmp_path, [confirmed()])
    told(tmp_path, other_end, via="pagerduty")
    blind = quiet() | {"verdict": "unknown", "exposure": "unknown", "signature_state": "not_evaluated"}
    write(tmp_path, [blind], later(1), state="not_evaluated")
    assert told(tmp_path, other_end, via="pagerduty", ds=later(1)).state == "nothing"
