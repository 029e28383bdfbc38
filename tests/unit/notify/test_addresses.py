"""The address and the login of a connection, as documented before there were hooks and as Airflow's forms have it."""

from typing import Any

import pytest

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.outcome import Sender
from kafka_fleet.notify.sending import sender
from support.builders.channels import message
from support.servers.channel_server import ChannelServer

PAGERDUTY = "https://events.pagerduty.com/v2/enqueue"


def made(via: str, **fields: Any) -> Sender:
    connection = Connection(**{"login": None, "password": None, "extra": {}, "host": "hooks.example.org", **fields})
    return sender(Channel(via=via, connection="there"), connection, None, message(), "<id>", False)


@pytest.mark.parametrize(
    ("via", "fields", "url"),
    [
        ("webhook", {}, "https://hooks.example.org"),
        ("webhook", {"host": "https://h.example.org/path"}, "https://h.example.org/path"),
        ("webhook", {"port": 8443, "schema": "https"}, "https://hooks.example.org:8443"),
        ("webhook", {"host": "https://h.example.org/path", "port": 8443}, "https://h.example.org:8443/path"),
        ("webhook", {"host": "https://[::1]/path", "port": 8443}, "https://[::1]:8443/path"),
        ("webhook", {"host": "http://127.0.0.1:80/x"}, "http://127.0.0.1:80/x"),
        ("webhook", {"password": "https://h.example.org/?sig=x"}, "https://h.example.org/?sig=x"),
        ("slack", {"host": "https://hooks.slack.com/services", "password": "/T0/B0/x"},
         "https://hooks.slack.com/services/T0/B0/x"),
        ("slack", {"host": None, "password": "T0/B0/x"}, "https://hooks.slack.com/services/T0/B0/x"),
        ("slack", {"host": "hooks.slack.com/services", "schema": "https", "password": "T0/B0/x"},
         "https://hooks.slack.com/services/T0/B0/x"),
        ("slack", {"password": "https://hooks.slack.com/services/T0/B0/x"}, "https://hooks.slack.com/services/T0/B0/x"),
        ("slack", {"host": "https://hooks.slack.com/services/T0/B0/x"}, "https://hooks.slack.com/services/T0/B0/x"),
        ("slack", {"port": 8443, "password": "T0"}, "https://hooks.example.org:8443/T0"),
        ("teams", {"host": None, "password": "https://t.example.org:443/w?sig=x"}, "https://t.example.org:443/w?sig=x"),
        ("teams", {"host": "https://t.example.org/", "password": "/w?sig=x"}, "https://t.example.org/w?sig=x"),
        ("pagerduty", {"host": None, "password": "key"}, PAGERDUTY),
        ("pagerduty", {"host": "https://events.eu.pagerduty.com/v2/enqueue", "password": "key"},
         "https://events.eu.pagerduty.com/v2/enqueue"),
        ("pagerduty", {"host": "events.eu.pagerduty.com", "password": "key"},
         "https://events.eu.pagerduty.com/v2/enqueue"),
    ],
)  # fmt: skip
def test_the_address_of_a_connection(via: str, fields: dict[str, Any], url: str) -> None:
    found = made(via, **fields)
    assert found.url == url
    assert "example" not in repr(found)


@pytest.mark.parametrize(
    ("via", "fields"),
    [
        ("webhook", {"host": None}),
        ("webhook", {"host": "http://hooks.example.org", "password": "canary"}),
        ("webhook", {"host": "https://hooks.example.org:canary"}),
        ("slack", {"host": "http://10.0.0.1", "password": "canary"}),
        ("slack", {"host": None}),
        ("teams", {"password": "http://t.example.org/canary"}),
        ("webhook", {"host": "ftp://canary"}),
        ("pagerduty", {}),
        ("pagerduty", {"host": "http://canary", "password": "canary"}),
    ],
)
def test_an_address_without_tls_or_no_key_is_refused_in_a_sentence(via: str, fields: dict[str, Any]) -> None:
    with pytest.raises(CredentialsError) as error:
        made(via, **fields)
    assert str(error.value).startswith("connection there: it")
    assert "canary" not in str(error.value)


@pytest.mark.parametrize(
    ("via", "fields", "shown"),
    [
        ("webhook", {}, None),
        ("webhook", {"password": "token"}, "Bearer token"),
        ("webhook", {"login": "u", "password": "p"}, "Basic dTpw"),
        ("webhook", {"login": "u", "password": "\N{SNOWMAN}"}, "Basic dTrimIM="),
        ("webhook", {"extra": {"Authorization": "Splunk x"}}, "Splunk x"),
        ("teams", {"login": "u", "password": "p"}, None),
    ],
)
def test_what_a_channel_is_shown_and_nothing_of_netrc(
    other_end: ChannelServer, monkeypatch, tmp_path, via: str, fields: dict[str, Any], shown: str | None
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login canary password canary\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert made(via, host=other_end.url, **fields).send().verdict == "sent"
    assert other_end.requests[0].headers.get("Authorization") == shown


def test_texts_of_extra_are_headers_but_for_files_and_options(other_end: ChannelServer, tmp_path) -> None:
    (tmp_path / "x.pem").write_text("")
    files = {"ca_file": str(tmp_path / "x.pem"), "client_cert": str(tmp_path / "x.pem"), "client_key": None}
    extra = {"X-Team": "kafka", **files, "timeout": 1, "srv_lookup": None, "X-Number": 5, "proxies": None}
    assert made("webhook", host=other_end.url, extra=extra).send().verdict == "sent"
    headers = other_end.requests[0].headers
    assert headers["X-Team"] == "kafka"
    assert not {"ca_file", "client_cert", "client_key", "timeout", "srv_lookup", "X-Number"} & set(headers)


def test_a_query_is_part_of_the_address(other_end: ChannelServer) -> None:
    assert made("teams", password=f"{other_end.url}/w?sig=%20x").send().verdict == "sent"
    assert other_end.requests[0].path == "/w?sig=%20x"


@pytest.mark.parametrize(
    ("via", "extra", "sentence"),
    [
        ("webhook", {"proxies": "http://canary"}, "connection there: proxies must be a mapping of scheme to address"),
        ("webhook", {"cert": "/canary"}, "connection there: cert must name files that are there"),
        ("webhook", {"cert": ["/canary", 5]}, "connection there: cert must name files that are there"),
        ("slack", {"proxy": {"https": "canary"}}, "connection there: proxy must be an address"),
    ],
)
def test_an_extra_that_no_hook_could_use_is_a_sentence(via: str, extra: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CredentialsError) as error:
        made(via, password="x", extra=extra)
    assert str(error.value) == sentence


def test_a_proxy_that_no_library_takes_costs_its_channel_alone(monkeypatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://canary")
    with pytest.raises(CredentialsError, match="the proxy that HTTPS_PROXY or ALL_PROXY names cannot be used"):
        made("pagerduty", host=None, password="key")
    assert made("webhook").send().verdict == "refused"


def test_a_header_that_cannot_be_sent_is_refused(other_end: ChannelServer) -> None:
    found = made("webhook", host=other_end.url, password="\N{SNOWMAN}").send()
    assert (found.verdict, other_end.requests) == ("refused", [])
    assert "SNOWMAN" not in found.reason
