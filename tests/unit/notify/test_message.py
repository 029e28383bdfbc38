"""What a message says and holds, whatever the channel: nothing is attached to one; events have what it takes to act."""

import json
from pathlib import Path

import pytest

from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.config.channels import KINDS, Channel
from kafka_fleet.config.credentials import Connection
from kafka_fleet.mail.published_letter import published_generation, read_judged
from kafka_fleet.notify.delivery import notify_channels
from kafka_fleet.notify.message import Message, message_of
from support.builders.channels import SECRET, cluster
from support.builders.letter_rows import evidence
from support.builders.mailed_days import CLUSTER, DAY, confirmed, write
from support.servers.channel_server import ChannelServer
from support.servers.jira_server import Jira

PAGE = "https://fleet.example.org/fleet-health"
HOOK = Channel(via="webhook", connection="there")


def made(home: Path) -> Message:
    """The message of the day, as a channel that was told nothing gets it."""
    judged = read_judged(home, DAY, CLUSTER, published_generation(home, DAY), Acknowledgements([], []))
    found = message_of(HOOK, judged, judged.changes(None, None), None)
    assert found is not None
    return found


@pytest.mark.parametrize("page", [None, PAGE])
@pytest.mark.parametrize("via", KINDS)
def test_no_message_says_that_something_is_attached(
    home: Path, other_end: ChannelServer, jira: Jira, monkeypatch, via: str, page: str | None
) -> None:
    monkeypatch.delenv("KAFKA_FLEET_PAGE_URL", raising=False)
    if page:
        monkeypatch.setenv("KAFKA_FLEET_PAGE_URL", page)
    entry = {"via": via, "connection": "there", **({"jira": {"project": "OPS"}} if via == "jira" else {})}
    password = SECRET if via in ("jira", "pagerduty", "webhook") else f"{other_end.url}/{SECRET}"
    there = Connection(
        jira.login if via == "jira" else None, password, {}, jira.url if via == "jira" else other_end.url
    )
    (told,) = notify_channels(home, DAY, cluster(entry), lambda _name: there)
    assert told.state == "sent"
    said = json.dumps([one.body for one in other_end.requests] + [one.fields for one in jira.issues])
    assert "KAFKA-14334" in said
    assert "attached:" not in said.casefold()
    assert ".html" not in said
    assert (f"{PAGE}/clusters/{CLUSTER}" in said) == bool(page)


def test_a_letter_says_what_is_attached_only_where_something_is(home: Path, monkeypatch) -> None:
    monkeypatch.delenv("KAFKA_FLEET_PAGE_URL", raising=False)
    judged = read_judged(home, DAY, CLUSTER, published_generation(home, DAY), Acknowledgements([], []))
    mailed, told = (judged.short(judged.changes(None, None), attached=with_it)[1] for with_it in (True, False))
    assert f"Attached: {judged.report_name}" in mailed.text
    assert "in the attached" in mailed.html
    for text in (told.text, told.html):
        assert "ttached" not in text
        assert "None" not in text
    assert "\n\n\n" not in told.text


def test_an_event_has_what_to_do_and_its_figures(home: Path) -> None:
    (event,) = made(home).events
    assert event.do.startswith("Look whether the consumers set client.rack")
    assert event.evidence == ("45 %: expired consumer fetches / consumer fetches, broker 2; threshold 30 %",)


def test_names_from_kafka_are_visible_and_figures_are_bounded(tmp_path: Path) -> None:
    rows = [evidence() | {"where": f"topic \u202e{'x' * 5000}"} for _line in range(50)]
    write(tmp_path, [confirmed() | {"evidence": rows, "workaround": "Do \u202e this. " * 500}])
    (event,) = made(tmp_path).events
    assert len(event.evidence) == 5
    for text in (event.do, *event.evidence):
        assert len(text) <= 901
        assert text.isprintable()


def test_what_an_earlier_version_stored_is_still_read(home: Path) -> None:
    whole = made(home)
    assert Message.read(whole.stored()) == whole
    content = json.loads(whole.stored())
    for one in content["events"]:
        del one["do"], one["evidence"]
    (event,) = Message.read(json.dumps(content)).events
    assert (event.do, event.evidence) == ("", ())
