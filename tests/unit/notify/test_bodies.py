"""A message as each kind of channel takes it; foreign words are only words in it."""

import json
from dataclasses import replace
from pathlib import Path

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection
from kafka_fleet.notify.bodies import AGAIN, pagerduty_events, slack, teams, webhook
from kafka_fleet.notify.message import Message
from kafka_fleet.notify.sending import sender
from support.builders.channels import message, told
from support.builders.mailed_days import confirmed, later, quiet, write


def test_a_webhook_gets_all_of_it() -> None:
    body = webhook(message(), "<id>", again=True)
    assert body["events"][0]["fingerprint"] == "0" * 32
    assert {key: body[key] for key in ("version", "id", "sent_again")} == {
        "version": 1, "id": "<id>", "sent_again": True,
    }  # fmt: skip
    assert Message.read(message().stored()) == message()


def test_slack_shows_foreign_words_as_plain_text() -> None:
    body = slack(message(text="x" * 5000), again=True)
    assert [one["text"]["type"] for one in body["blocks"]] == ["plain_text"] * 3 + ["mrkdwn"]
    assert body["blocks"][1]["text"]["text"] == AGAIN
    assert all(len(one["text"]["text"]) <= 3000 for one in body["blocks"])
    assert "<" not in body["text"]
    assert "&lt;!channel&gt;" in body["text"]


def test_slack_has_one_link_which_is_our_pages_and_none_without_a_page() -> None:
    page = "https://page/clusters/a?day=2026-11-20&b=<!channel>|x"
    *rest, link = slack(replace(message(), url=page), again=False)["blocks"]
    assert link["text"] == {
        "type": "mrkdwn",
        "text": "<https://page/clusters/a?day=2026-11-20&amp;b=%3C!channel%3E%7Cx|Open the cluster's page>",
    }
    assert slack(replace(message(), url=""), again=False)["blocks"] == rest


def test_pagerduty_says_what_to_do_and_shows_the_figures_of_what_is_open() -> None:
    plain = message("open", "close")
    opened = replace(plain.events[0], do="Upgrade.", evidence=("50 %: late",))
    trigger, resolve = pagerduty_events(replace(plain, events=(opened, plain.events[1])))
    details = trigger["payload"]["custom_details"]
    assert (details["what_to_do"], details["evidence"]) == ("Upgrade.", ["50 %: late"])
    assert "payload" not in resolve
    assert set(pagerduty_events(plain)[0]["payload"]["custom_details"]) == {"verdict", "day", "letter"}


def test_teams_shows_foreign_words_as_text_runs() -> None:
    body = teams(message(text="x" * 50_000), again=False)
    (attachment,) = body["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert [one["type"] for one in attachment["content"]["body"]] == ["RichTextBlock"] * 2
    assert attachment["content"]["actions"][0]["url"] == "https://page/clusters/a"
    assert len(json.dumps(body)) < 28_000


def test_pagerduty_gets_an_event_for_each_finding(other_end) -> None:
    given = Connection(None, "key", {}, other_end.url)
    there = Channel(via="pagerduty", connection="there")
    assert sender(there, given, None, message("open", "close"), "<id>", False).send().verdict == "sent"
    opened, closed = other_end.requests
    assert opened.body["event_action"] == "trigger"
    assert (opened.body["routing_key"], opened.body["dedup_key"]) == ("key", "0" * 32)
    assert opened.body["payload"]["severity"] == "error"
    assert opened.body["payload"]["source"] == "payments-eu"
    assert len(opened.body["payload"]["summary"]) <= 1024
    assert (opened.body["client"], opened.body["links"][0]["href"]) == ("Kafka Fleet Health", "https://p/#f")
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
