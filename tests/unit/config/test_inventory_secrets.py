"""Mistakes in the fleet file that may hold a secret, or write on the terminal: told without what was written."""

import pytest

from kafka_fleet.config.fleet import parse_fleet
from support.builders.fleet_entries import GOOD, changed, fleet

SECRET_URLS = [
    "http://canary:hunter2@h/",
    "http://canary:hun/ter2@h/",
    "http:canary:hunter2@h/",
    "ftp://canary:hunter2@h/",
    "http://h/?token=hunter2",
    "http://h/#hunter2",
    "canary:hunter2@h",
    "http://canary:hunter2@[::1/",
]


@pytest.mark.fault(56)
@pytest.mark.parametrize("url", SECRET_URLS)
@pytest.mark.parametrize(
    "path",
    [("jolokia", "brokers", 1), ("jolokia", "url_template"), ("bootstrap_servers", 0), ("node_exporter", 1), ("id",)],
)
def test_a_secret_in_a_bad_url_is_never_printed(path, url):
    found = fleet(changed(GOOD, path, url))
    assert found.errors
    assert not any(word in str(error) for error in found.errors for word in ("hunter", "ter2", "canary"))


@pytest.mark.fault(56)
def test_a_secret_used_as_a_key_or_in_the_wrong_place_is_never_printed():
    entries = [
        changed(GOOD, ("jolokia", "brokers", "http://canary:hunter2@h/"), "http://h/"),
        {**GOOD, "http://canary:hunter2@h/": 1},
        {**GOOD, "jolokia": ["http://canary:hunter2@h/"]},
        {**GOOD, "client_configs": {"groups": {"g": {"sasl.jaas.config": "canary hunter2"}}}},
        {**GOOD, "thresholds": {"password=canary hunter2": {}}},
    ]
    for entry in entries:
        (error,) = fleet(entry).errors
        assert "canary" not in str(error)
        assert "hunter2" not in str(error)


def test_text_that_would_write_on_the_terminal_is_quoted():
    for name in ("\x1b[31m", "a\nb", "\u202e", "\ud800"):
        for entry in ({**GOOD, name: 1}, changed(GOOD, ("owners", 0), name), changed(GOOD, ("thresholds", name), {})):
            (error,) = fleet(entry).errors
            assert str(error).isprintable()
            assert str(error).encode()


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("owners", ["#platform-alerts"], "owners, entry 1: must be an e-mail address; the value is not shown"),
        ("environment", "passau", "environment: must be production, staging or development; the value is not shown"),
        ("environment", "prod", "environment: must be production, staging or development, not 'prod'"),
        ("owners", ["platform-team"], "owners, entry 1: must be an e-mail address, not 'platform-team'"),
    ],
)
def test_a_value_that_may_hold_a_secret_leaves_a_whole_sentence(field, value, sentence):
    entry = {
        "id": "lab",
        "environment": "production",
        "owners": ["a@example.org"],
        "bootstrap_servers": ["127.0.0.1:9"],
    }
    entry |= {"jolokia": {"brokers": {1: "http://127.0.0.1:1/jolokia"}}, field: value}
    (fault,) = parse_fleet({"version": 1, "clusters": [entry]}, "fleet.yaml").errors
    assert sentence in str(fault)
    assert "not the value" not in str(fault)
