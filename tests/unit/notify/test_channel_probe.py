"""A channel that is broken is known before the first incident: by its connection alone, and by a harmless message."""

from typing import Any

import pytest

from kafka_fleet.base.errors import UsageError
from kafka_fleet.config.channels import KINDS, Channel
from kafka_fleet.config.credentials import Connection, CredentialsError, Resolver
from kafka_fleet.notify.channel_probe import FINDING, Probed, check_channel, probe_channel
from support.builders.channels import SECRET, cluster
from support.builders.mailed_days import CLUSTER
from support.servers.channel_server import LOST, ChannelServer
from support.servers.jira_server import Jira

ADDRESS = "must be an address that begins with https://"
ALL = ("BROWSE_PROJECTS", "CREATE_ISSUES", "ADD_COMMENTS")


def channel(via: str, **jira: Any) -> Channel:
    entry = {"via": via, "connection": "there", **({"jira": {"project": "OPS", **jira}} if via == "jira" else {})}
    return Channel.model_validate(entry)


def there(**fields: Any) -> Resolver:
    return lambda _name: Connection(**{"login": None, "password": None, "extra": {}, **fields})


def probed(via: str, **fields: Any) -> Probed:
    return probe_channel(channel(via), cluster(), there(**fields))


@pytest.mark.parametrize(
    ("via", "fields", "sentence"),
    [
        ("slack", {"password": f"http://hooks.example.org/{SECRET}"}, f"its password {ADDRESS}"),
        ("slack", {"host": "http://hooks.example.org", "password": SECRET}, f"its host {ADDRESS}"),
        ("slack", {"password": " "}, "its password must be the webhook's token"),
        ("slack", {}, "its password must be the webhook's token"),
        ("pagerduty", {}, "its password must be the routing key"),
        ("pagerduty", {"password": SECRET, "host": "http://events.example.org"}, f"its host {ADDRESS}"),
        ("jira", {"password": SECRET}, "it must have Jira's address as host, and as password an API token"),
        ("jira", {"password": SECRET, "host": "http://jira.example.org"}, f"its host {ADDRESS}"),
        ("teams", {}, f"its password {ADDRESS}"),
        ("teams", {"password": f"http://t.example.org/{SECRET}"}, f"its password {ADDRESS}"),
        ("teams", {"host": "http://t.example.org"}, f"its host {ADDRESS}"),
        ("webhook", {"host": "http://hooks.example.org", "password": SECRET}, f"its host {ADDRESS}"),
        ("webhook", {"password": f"http://hooks.example.org/{SECRET}"}, f"its password {ADDRESS}"),
        ("webhook", {"host": "https://h.example.org", "extra": {"ca_file": "/nowhere"}}, "ca_file must be the path"),
    ],
)
def test_what_a_channel_could_not_be_told_with_is_a_sentence_with_its_field(
    via: str, fields: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(CredentialsError) as error:
        check_channel(channel(via), there(**fields))
    assert str(error.value).startswith(f"connection there: {sentence}")
    assert SECRET not in str(error.value)
    assert "example.org" not in str(error.value)
    assert probed(via, **fields) == Probed(False, str(error.value))


@pytest.mark.parametrize("via", KINDS)
def test_a_check_contacts_nobody(other_end: ChannelServer, via: str) -> None:
    password = f"{other_end.url}/{SECRET}" if via in ("slack", "teams") else SECRET
    check_channel(channel(via), there(host=other_end.url, password=password))
    assert other_end.requests == []


@pytest.mark.parametrize("via", ["webhook", "teams", "slack"])
def test_a_test_is_one_message_without_a_finding_that_says_what_it_is(other_end: ChannelServer, via: str) -> None:
    password = f"{other_end.url}/{SECRET}" if via in ("slack", "teams") else SECRET
    assert probed(via, host=other_end.url, password=password) == Probed(True, "answered 202")
    (request,) = other_end.requests
    assert f"Test of the channel {via}:there" in str(request.body)
    assert "There is nothing to do." in str(request.body)
    assert f"It says nothing about {CLUSTER}." in str(request.body)
    assert request.body.get("events", []) == []


def test_pagerduty_gets_an_event_and_its_end(other_end: ChannelServer) -> None:
    found = probed("pagerduty", host=other_end.url, password=SECRET)
    assert found == Probed(True, "trigger: answered 202; resolve: answered 202")
    opened, closed = (one.body for one in other_end.requests)
    assert (opened["event_action"], closed["event_action"]) == ("trigger", "resolve")
    assert opened["dedup_key"] == closed["dedup_key"]
    assert (opened["payload"]["severity"], opened["payload"]["class"]) == ("info", FINDING)
    probed("pagerduty", host=other_end.url, password=SECRET)
    assert len({one.body["dedup_key"] for one in other_end.requests}) == 1, "a later test ends an earlier one"


@pytest.mark.parametrize(
    ("statuses", "sentence", "asked"),
    [
        ((400,), "trigger: it answered 400: no key …", 1),
        ((202, 400), "trigger: answered 202; resolve: it answered 400: no key …; the incident may still be open: "
         "resolve it by hand", 2),
        ((LOST, 202), "trigger: the connection was lost before it answered; resolve: answered 202", 2),
    ],
)  # fmt: skip
def test_what_pagerduty_did_not_take_is_said(other_end: ChannelServer, statuses, sentence: str, asked: int) -> None:
    other_end.status = lambda number: statuses[number - 1]
    other_end.body = f'{{"message": "no key {SECRET}"}}'.encode()
    assert probed("pagerduty", host=other_end.url, password=SECRET) == Probed(False, sentence)
    assert len(other_end.requests) == asked


def test_what_refuses_or_is_not_there_is_said(other_end: ChannelServer) -> None:
    other_end.status, other_end.body = lambda _number: 404, b"channel_is_archived"
    found = probed("slack", password=f"{other_end.url}/{SECRET}")
    assert found == Probed(False, "it answered 404: channel_is_archived")
    assert probed("webhook", host="http://127.0.0.1:1") == Probed(False, "no connection can be made")


def test_jira_is_asked_what_the_account_may_do_and_gets_no_issue(jira: Jira) -> None:
    fields = {"host": jira.url, "login": jira.login, "password": SECRET}
    jira.may = ALL
    assert probed("jira", **fields) == Probed(
        True, "Jira answered: the account has what it needs in OPS; no issue is opened"
    )
    moving = probe_channel(channel("jira", done="Done"), cluster(), there(**fields))
    assert moving == Probed(False, "the account of the connection lacks TRANSITION_ISSUES in project OPS")
    jira.may = ALL[1:]
    assert probed("jira", **fields).sentence == "the account of the connection lacks BROWSE_PROJECTS in project OPS"
    refused = probed("jira", **{**fields, "login": "another"})
    assert refused == Probed(False, "Jira answered 401, the question for permissions")
    assert {one.split(" ")[0] for one in jira.asked} == {"GET"}
    assert jira.issues == []


def test_the_pages_address_is_part_of_a_test(other_end: ChannelServer, monkeypatch) -> None:
    monkeypatch.setenv("KAFKA_FLEET_PAGE_URL", "https://fleet.example.org")
    assert probed("webhook", host=other_end.url).works
    assert other_end.requests[0].body["url"] == f"https://fleet.example.org/clusters/{CLUSTER}"
    monkeypatch.setenv("KAFKA_FLEET_PAGE_URL", "no address")
    with pytest.raises(UsageError, match="KAFKA_FLEET_PAGE_URL"):
        probed("webhook", host=other_end.url)


@pytest.mark.parametrize("via", KINDS)
def test_no_secret_of_a_test_is_said_or_logged(other_end: ChannelServer, caplog, via: str) -> None:
    caplog.set_level("DEBUG")
    other_end.body = f'{{"message": "{SECRET}", "errorMessages": ["{SECRET}"]}}'.encode()
    password = f"{other_end.url}/{SECRET}" if via in ("slack", "teams") else SECRET
    for status in (200, 401, 404, 500, LOST):
        other_end.status = lambda _number, status=status: status
        found = probed(via, host=other_end.url, password=password)
        assert SECRET not in found.sentence
        assert "127.0.0.1" not in found.sentence
    assert SECRET not in caplog.text
