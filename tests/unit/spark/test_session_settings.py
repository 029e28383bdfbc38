"""What a Spark session is set to: what was given, what results rest on, where the driver is, how long it waits."""

import pytest

from fleet_spark.executors import DEFAULT_WAIT, WAIT, wait_seconds
from fleet_spark.session import DEFAULTS, FIXED, settings


def test_what_was_given_wins_over_defaults_and_not_over_what_results_rest_on():
    given = {"spark.master": "spark://m:7077", "spark.sql.shuffle.partitions": "77", "spark.sql.session.timeZone": "x"}
    found = settings(given, {})
    assert "spark.sql.shuffle.partitions" not in found
    assert found["spark.ui.enabled"] == DEFAULTS["spark.ui.enabled"]
    assert FIXED.items() <= found.items()


@pytest.mark.parametrize("master", ["spark://m:7077", "spark://a:7077,b:7077", "yarn", "k8s://https://api:6443"])
def test_on_a_cluster_the_driver_is_where_spark_puts_it(master):
    assert not {"spark.driver.host", "spark.driver.bindAddress"} & settings({"spark.master": master}, {}).keys()


@pytest.mark.parametrize("master", [{}, {"spark.master": "local"}, {"spark.master": "local[*]"}])
def test_on_one_machine_the_driver_is_on_loopback_unless_told_otherwise(master):
    assert settings(master, {})["spark.driver.bindAddress"] == settings(master, {})["spark.driver.host"] == "127.0.0.1"
    for key in ("spark.driver.host", "spark.driver.bindAddress"):
        found = settings({**master, key: "192.0.2.7"}, {})
        assert not {"spark.driver.host", "spark.driver.bindAddress"} & found.keys()


@pytest.mark.parametrize("text", ["", "soon", "0", "-1", "nan", "inf"])
def test_a_limit_that_is_no_number_is_one_sentence(text):
    assert wait_seconds({}) == DEFAULT_WAIT
    with pytest.raises(SystemExit, match=f"{WAIT} is '{text}': it must be a number of seconds above 0"):
        wait_seconds({WAIT: text})
