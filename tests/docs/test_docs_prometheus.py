"""The documented setup of Prometheus against what Prometheus does with it: look-back, labels, alerts that end."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/integrations.md").read_text(encoding="utf-8")
LOOK_BACK_S = 300  # of a query; a sample that is older is none
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
RULES = {
    rule["alert"]: rule
    for group in yaml.safe_load((ROOT / "docs/prometheus-rules.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
}
OF_CLUSTERS = [name for name, rule in RULES.items() if re.search(r"kafka_fleet_(finding\{|cluster_)", rule["expr"])]


def seconds(text: str) -> int:
    return int(text[:-1]) * UNITS[text[-1]]


def job() -> dict[str, Any]:
    (block,) = re.findall(r"^```yaml\n(scrape_configs:.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    (found,) = yaml.safe_load(block)["scrape_configs"]
    return dict(found)


def test_two_scrapes_that_are_late_leave_a_sample_within_the_look_back():
    every = seconds(job()["scrape_interval"])
    assert 3 * every + 60 <= LOOK_BACK_S
    assert seconds(job()["scrape_timeout"]) <= every


def test_labels_of_the_page_win_over_those_of_the_target():
    assert job()["honor_labels"] is True


def test_alerts_on_findings_and_clusters_outlive_a_scrape_that_fails():
    assert OF_CLUSTERS == [
        "KafkaFleetBugConfirmed", "KafkaFleetSymptomMeasured", "KafkaFleetClusterNotJudged", "KafkaFleetCoverageLow",
    ]  # fmt: skip
    for name in OF_CLUSTERS:
        assert seconds(RULES[name]["keep_firing_for"]) >= 3 * seconds(job()["scrape_interval"]), name
        assert RULES[name]["annotations"]["runbook_url"].startswith("https://{{ $labels.instance }}/fleet-health/")


def test_no_alert_ends_for_lack_of_scrapes_before_that_is_told():
    told = seconds(RULES["KafkaFleetMetricsAbsent"]["for"])
    kept = [seconds(rule["keep_firing_for"]) for rule in RULES.values() if "keep_firing_for" in rule]
    assert told < min(kept)


@pytest.mark.parametrize("name", ["KafkaFleetBugConfirmed", "KafkaFleetSymptomMeasured"])
def test_an_acknowledged_finding_is_no_alert_and_one_without_the_label_is(name: str) -> None:
    assert 'acknowledged!="true"' in RULES[name]["expr"]


def test_every_alert_is_counted_by_the_page():
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    assert f"has {words[len(RULES) - 1]} alerts" in PAGE
