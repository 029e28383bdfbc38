"""What is written into Jira: foreign words leave no markup behind, in a line or in a block."""

import re

import pytest
import requests

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.jira_client import jira_client
from kafka_fleet.notify.jira_text import comment, description, literal, plain, reference, summary
from kafka_fleet.notify.message import Event, Message

HOSTILE = r"{color:red} [~admin] [evil|http://evil] !http://evil/x.png! |a| *b* \{x\} :) (!) bq. x @all <b> a--b _c_"
JIRA = Channel.model_validate({"via": "jira", "connection": "there", "jira": {"project": "OPS"}})


def event(action: str = "open", **more) -> Event:
    fields = {"title": HOSTILE, "was": "exposed", "verdict": "confirmed", "severity": "high", "url": "https://p/#f"}
    return Event("0" * 32, action, "KAFKA-1", **{**fields, "why": f"Now also: topic {HOSTILE}.", **more})


MESSAGE = Message("payments-eu", "production", "2026-11-20", HOSTILE, f"a {HOSTILE}\n{{noformat}}\nh1. b", "", ())


def markup(line: str) -> str:
    """What is left of a line without what a backslash makes plain."""
    return re.sub(r"\\[^\w\s]|&#92;", "", line)


@pytest.mark.parametrize("text", [HOSTILE, "\\" * 5 + "{code}", "a\\\n{quote}", "{{x}}", "[^file]", "----", "http://x"])
def test_a_line_keeps_its_words_and_loses_its_markup(text: str) -> None:
    escaped = plain(text)
    assert re.search(r"[{}\[\]!|*@<>~^]|--|:\S|\n", markup(escaped)) is None
    undone = re.sub(r"\\([^a-z\s])", r"\1", escaped).replace("&#92;", "\\")
    assert undone == " ".join(text.split())


def test_words_with_a_dash_are_left_alone() -> None:
    assert plain("fetch_latency on payments-eu: 2026-11-20") == "fetch_latency on payments-eu: 2026-11-20"


def test_a_block_cannot_be_ended_from_within() -> None:
    for name in ("noformat", "NOFORMAT", "code", "color:red"):
        block = literal(f"a {{{name}}} b").removeprefix("{noformat}\n").removesuffix("\n{noformat}")
        assert f"{{ {name}}}" in block
        assert re.search(r"\{\w", block) is None
    assert len(literal("x" * 100_000)) < 32_767


def test_the_description_and_comments_hold_nothing_but_our_own_markup() -> None:
    for text in (description(event(), MESSAGE, "mark"), comment(event(), MESSAGE, "mark", True)):
        outside = text.split("{noformat}")
        ours = "".join(outside[::2]).replace("[Finding|https://p/#f]", "")
        lines = [markup(line.removeprefix("* ")) for line in ours.split("\n")]
        assert re.search(r"[{}\[\]!|*@<>~^]|--|:\S", "\n".join(lines)) is None
        assert all(
            re.match(r"(\* )?(Cluster|Finding|Verdict|Severity|Day|Why|2026-11-20|Kafka|$)", one)
            for one in ours.split("\n")
        )
        assert len(outside) in (1, 3)
    assert "\n" not in summary(event(title="a\nb"), MESSAGE)
    assert len(summary(event(title="x" * 400), MESSAGE)) <= 255


def test_a_reference_is_the_same_on_each_try_and_another_of_each_event() -> None:
    assert reference("<1>", event()) == reference("<1>", event())
    others = [reference("<2>", event()), reference("<1>", event("close"))]
    assert len({reference("<1>", event()), *others}) == 3


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"host": None}, "it must have Jira's address as host"),
        ({"password": None}, "it must have Jira's address as host"),
        ({"password": "https://canary@jira.example.org"}, "it must have Jira's address as host"),
        ({"host": "http://jira.example.org"}, "its host must be an address that begins with https://"),
    ],
)
def test_a_connection_without_address_or_token_is_a_sentence(fields, sentence) -> None:
    given = {"login": "a", "password": "canary", "extra": {}, "host": "https://jira.example.org", **fields}
    with pytest.raises(CredentialsError) as error:
        jira_client(JIRA, Connection(**given), None)
    assert sentence in str(error.value)
    assert "canary" not in str(error.value)


@pytest.mark.parametrize(("login", "header"), [("u", "Basic dTpw"), (None, "Bearer p")])
def test_cloud_takes_basic_and_data_center_bearer(login, header) -> None:
    client = jira_client(JIRA, Connection(login, "p", {}, "https://host.example.org/jira"), None)
    asked = client._client.session.prepare_request(requests.Request("GET", client._client.url))
    assert (asked.headers["Authorization"], asked.url) == (header, "https://host.example.org/jira")
    assert "example" not in repr(client)
