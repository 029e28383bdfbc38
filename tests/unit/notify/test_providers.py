"""What Airflow's hooks and the libraries below them must not do: try again, follow, wait, read on, or log addresses."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from airflow.providers.atlassian.jira.hooks.jira import JiraHook
from airflow.providers.http.hooks.http import HttpHook
from airflow.providers.pagerduty.hooks.pagerduty_events import PagerdutyEventsHook
from airflow.providers.slack.hooks.slack_webhook import SlackWebhookHook

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection
from kafka_fleet.notify.jira_client import JiraError, jira_client
from kafka_fleet.notify.outcome import Outcome
from kafka_fleet.notify.sending import sender
from support.builders.channels import SECRET, message
from support.servers.byte_server import endless, listener
from support.servers.certificates import Authority
from support.servers.channel_server import LOST, ChannelServer, channel_server

KINDS = ("webhook", "teams", "slack", "pagerduty")
JIRA = {"project": "OPS"}


def tell(via: str, url: str, ca_file: str | None = None, **extra: Any) -> Outcome:
    """One message to an address; to Jira the opening of an issue."""
    if via == "jira":
        channel = Channel.model_validate({"via": via, "connection": "there", "jira": JIRA})
        client = jira_client(channel, Connection("bot", SECRET, extra, url), ca_file)
        try:
            client.ask("POST", "issue", "the new issue", {"fields": {}})
        except JiraError as error:
            return Outcome(error.verdict, str(error))
        return Outcome("sent", "")
    password = f"{url}/{SECRET}" if via in ("teams", "slack") else SECRET
    connection = Connection(None, password, extra, url)
    return sender(Channel(via=via, connection="there"), connection, ca_file, message(), "<id>", False).send()


@pytest.mark.parametrize("via", [*KINDS, "jira"])
@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (302, "refused"), (307, "refused"), (401, "refused"), (404, "refused"), (429, "deferred"), (500, "unknown"),
        (502, "unknown"), (503, "deferred"), (504, "unknown"), (LOST, "unknown"),
    ],
)  # fmt: skip
def test_each_message_is_one_request(other_end: ChannelServer, via: str, status: int, verdict: str) -> None:
    other_end.status, other_end.more = lambda _number: status, {"Retry-After": "3600"}
    began = time.monotonic()
    assert tell(via, other_end.url).verdict == verdict
    assert len(other_end.requests) == 1, "neither tried again nor led elsewhere"
    assert time.monotonic() - began < 20, "nobody waits out an hour"


@pytest.mark.parametrize("via", [*KINDS, "jira"])
def test_an_answer_without_an_end_is_not_waited_for(via: str) -> None:
    head = b"HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n\r\n"
    with listener(endless(head, b" " * 65_536)) as place:
        began = time.monotonic()
        assert tell(via, f"http://{place}").verdict == "sent"
    assert time.monotonic() - began < 20


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ca") / "own", "fleet")


@pytest.fixture
def secure(authority: Authority) -> Iterator[ChannelServer]:
    with channel_server(authority.issue("channel", "127.0.0.1")) as server:
        yield server


@pytest.mark.parametrize("via", [*KINDS, "jira"])
def test_a_certificate_is_checked_against_the_file_of_the_connection(secure, authority, via: str) -> None:
    assert tell(via, secure.url, str(authority.ca)).verdict == "sent"
    assert tell(via, secure.url, verify=str(authority.ca)).verdict == "sent"
    assert len(secure.requests) == 2
    for extra in ({}, {"verify": False}):
        refused = tell(via, secure.url, **extra)
        assert refused.verdict == "deferred"
        assert refused.reason.endswith("its certificate is not trusted, or it speaks no TLS")
    assert len(secure.requests) == 2, "nothing is said to whom nobody trusts"


@pytest.mark.parametrize("via", ["slack", "pagerduty"])
def test_a_ca_file_without_certificates_is_a_sentence(home: Path, via: str) -> None:
    (home / "empty.pem").write_text("")
    with pytest.raises(ValueError, match="connection there: ca_file must hold certificates as PEM"):
        tell(via, "https://127.0.0.1:1", str(home / "empty.pem"))


@pytest.mark.parametrize("via", [*KINDS, "jira"])
def test_no_library_logs_or_says_where_a_channel_is(other_end, secure, caplog, capfd, via: str) -> None:
    caplog.set_level(logging.DEBUG)
    for name in list(logging.root.manager.loggerDict):
        logging.getLogger(name).disabled = False
    said = []
    for status in (202, 302, 401, 404, 429, 503, 500, LOST):
        other_end.status = lambda _number, status=status: status
        said.append(tell(via, other_end.url).reason)
    said += [
        tell(via, secure.url).reason,
        tell(via, "http://127.0.0.1:1").reason,
        tell(via, "https://no.invalid").reason,
    ]
    for text in (caplog.text, capfd.readouterr().out, *said):
        assert SECRET not in text
        assert "127.0.0.1" not in text
        assert "no.invalid" not in text
    assert said[-2].endswith("no connection can be made")


@pytest.mark.parametrize(
    ("via", "hook", "used"),
    [
        ("webhook", HttpHook, "run"),
        ("teams", HttpHook, "run"),
        ("slack", SlackWebhookHook, "_build_conn_params"),
        ("pagerduty", PagerdutyEventsHook, "__init__"),
        ("jira", JiraHook, "get_conn"),
    ],
)
def test_it_is_the_providers_hook_that_is_used(other_end, monkeypatch, via: str, hook: type, used: str) -> None:
    plain, seen = getattr(hook, used), []

    def noted(self: Any, *words: Any, **options: Any) -> Any:
        seen.append(type(self).__mro__[1])
        return plain(self, *words, **options)

    monkeypatch.setattr(hook, used, noted)
    assert tell(via, other_end.url).verdict == "sent"
    assert hook in seen
