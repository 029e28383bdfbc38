"""A setting whose value was not stored: unset only where its default says so, set where it is not the default."""

import pytest

from fleet_spark.cluster_facts import cluster_facts
from kafka_fleet.collect.admin.configs import config_rows
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.exposure_settings import exposure_settings
from kafka_fleet.knowledge.predicates import BrokerConfig
from kafka_fleet.schema.config_names import allowed

JWKS, OAUTH = "sasl.oauthbearer.jwks.endpoint.url", "CVE-2026-110985"
BROKER = {"broker": 1, "kafka_release": "4.2.0", "process_roles": "broker", "was_active_controller": False,
          "rack": None, "listed_reads": 1, "is_broker": True}  # fmt: skip
CLUSTER = {"cluster_mode": "KRaft", "metadata_level": None, "groups_read": False}


def config(value, default, sensitive=False):
    source = "DEFAULT_CONFIG" if default else "STATIC_BROKER_CONFIG"
    return {"value": value, "is_sensitive": sensitive, "config_source": source, "is_default": None}


def facts(**configs):
    """The facts of a broker that describes these, by the collector's own rows."""
    handler = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
    settings = {
        "sasl.enabled.mechanisms": config("OAUTHBEARER", False),
        "sasl.server.callback.handler.class": config(handler, False),
        **configs,
    }
    rows, _fault = config_rows("broker", settings)
    days = [{"broker": 1, "name": row["name"], "config_value": row["value"], **row} for row in rows]
    return cluster_facts(CLUSTER, [BROKER], days, [], [], [])


def ask(name, found, **test):
    condition = BrokerConfig.model_construct(broker_config=name, **test)
    return condition.ask(found.brokers[0], found)


def test_a_setting_that_is_not_on_the_list_is_unknown_whatever_its_default():
    found = facts(**{"brand.new.enable": config("true", True), "other.new.enable": config("false", False)})
    for name in ("brand.new.enable", "other.new.enable"):
        for operator in ("set", "unset", "equals", "not_equals"):
            answer = ask(name, found, is_=operator, value="true" if "equals" in operator else None)
            assert answer == (None, f"broker 1 does not show the value of {name}")


@pytest.mark.parametrize(
    ("setting", "expected", "kept"),
    [
        (config(None, True), "exposed", "is unset"),
        (config(None, True, sensitive=True), "exposed", "is unset"),
        (config("https://user:hunter2@idp.example.org/keys", False), "not_exposed", "is set"),
        (config(None, False, sensitive=True), "not_exposed", "is set"),
    ],
    ids=["default", "hidden default", "set", "hidden"],
)
def test_that_an_address_is_set_is_known_without_the_address(setting, expected, kept):
    found, advisory = facts(**{JWKS: setting}), load_advisories()[OAUTH]
    answer = exposure(advisory, found, None)
    assert answer.state == expected
    assert f"{JWKS} {kept}" in exposure_settings(advisory, found)
    assert "hunter2" not in repr((found, answer))


def test_only_what_has_no_default_is_told_as_set_or_not():
    assert not allowed("set_or_not") & allowed("broker")
    assert JWKS in allowed("set_or_not")
