"""A key that the fleet file does not have: the sentence leads to what was meant, and shows no value."""

from typing import Any

import pytest

from kafka_fleet.config.fleet import parse_fleet

CANARY = "canary-7f3a"


@pytest.mark.parametrize(
    ("where", "key", "sentence"),
    [
        ((), "bootstrap_server", "bootstrap_server: unknown key; did you mean bootstrap_servers? allowed: id"),
        (("jolokia",), "borkers", "unknown key; did you mean brokers? allowed: brokers, url_template"),
        (("jolokia",), "password", "Credentials are not in this file: name a connection"),
        ((), "colour", "colour: unknown key; allowed: id, environment"),
    ],
)
def test_an_unknown_key_leads_to_what_was_meant(where: tuple[str, ...], key: str, sentence: str) -> None:
    entry: dict[str, Any] = {
        "id": "lab",
        "environment": "production",
        "owners": ["a@example.org"],
        "bootstrap_servers": ["127.0.0.1:9"],
        "jolokia": {"brokers": {1: "http://127.0.0.1:1/jolokia"}},
    }
    at = entry
    for part in where:
        at = at[part]
    at[key] = CANARY
    (fault,) = parse_fleet({"version": 1, "clusters": [entry]}, "fleet.yaml").errors
    assert sentence in str(fault)
    assert CANARY not in str(fault)
