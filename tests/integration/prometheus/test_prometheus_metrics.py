"""A real Prometheus scrapes the page's metrics; its rules and the dashboard's queries work on what it has."""

import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests
import yaml

from support.builders.published_days import four_days
from support.live.prometheus import programs, server
from support.servers.page_server import TOKEN, page_server

ROOT = Path(__file__).resolve().parents[3]
RULES, DASHBOARD = ROOT / "docs/prometheus-rules.yml", ROOT / "docs/grafana-dashboard.json"
RULE_TESTS = ROOT / "tests/data/prometheus-rules-tests.yml"
PAGE = ROOT / "docs/integrations.md"
NAME = re.compile(r"kafka_fleet_[a-z_]+")
OWN = "kubernetes-eu-1"  # what a Prometheus on Kubernetes calls its own cluster: a label of each target


class Running(NamedTuple):
    """The URLs of the page and of a Prometheus that scrapes it, with the right token and with a wrong one."""

    page: str
    prometheus: str

    def asked(self, path: str, **query: str) -> Any:
        answer = requests.get(f"{self.prometheus}/api/v1/{path}", params=query, timeout=30).json()
        assert answer["status"] == "success", answer
        return answer["data"]

    def scraped(self) -> dict[str, Any]:
        return {one["labels"]["job"]: one for one in self.asked("targets")["activeTargets"]}

    def is_under_way(self) -> bool:
        """Whether both jobs have scraped, and a rule was evaluated on it."""
        scraped = {one["health"] for one in self.scraped().values()}
        alerts = self.asked("query", query='ALERTS{alertname="KafkaFleetBugConfirmed"}')["result"]
        return bool(alerts) and scraped == {"up", "down"}


def promtool(*words: str, given: bytes | None = None) -> str:
    done = subprocess.run([programs() / "promtool", *words], input=given, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    return said


def documented() -> str:
    """The configuration that the documentation has."""
    (block,) = re.findall(r"^```yaml\n(scrape_configs:.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return str(block)


def documented_job() -> dict[str, Any]:
    """Its job without what is of the example's server, and as often as the test asks for."""
    own = ("scheme", "authorization", "scrape_interval", "scrape_timeout")
    (job,) = yaml.safe_load(documented())["scrape_configs"]
    return {name: value for name, value in job.items() if name not in own}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("scraped")
    four_days(folder / "home")
    with page_server(folder / "home") as page:
        target = {"targets": [page.removeprefix("http://")], "labels": {"cluster": OWN}}
        job = {**documented_job(), "metrics_path": "/metrics", "static_configs": [target]}
        jobs = [
            {**job, "job_name": name, "authorization": {"type": "Bearer", "credentials": token}}
            for name, token in (("fleet", TOKEN), ("stranger", "wrong"))
        ]
        # a busy machine takes seconds to answer, and a scrape that is late takes its series away
        often = {"scrape_interval": "10s", "scrape_timeout": "10s", "evaluation_interval": "1s"}
        config = {"global": often, "scrape_configs": jobs, "rule_files": [str(RULES)]}
        with server(folder / "prometheus", {}, more=config) as prometheus:
            found = Running(page, prometheus)
            deadline = time.monotonic() + 60
            while not found.is_under_way():
                assert time.monotonic() < deadline, found.scraped()
                time.sleep(0.5)
            yield found


def test_the_answer_is_what_promtool_calls_well_formed(running: Running) -> None:
    answer = requests.get(f"{running.page}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30)
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    promtool("check", "metrics", given=answer.content)


def test_it_is_scraped_with_a_token_and_refused_without(running: Running) -> None:
    scraped = running.scraped()
    assert (scraped["fleet"]["health"], scraped["fleet"]["lastError"]) == ("up", "")
    assert scraped["stranger"]["health"] == "down"
    assert "403" in scraped["stranger"]["lastError"]
    assert requests.get(f"{running.page}/metrics", timeout=30).status_code == 401


def test_the_documented_configuration_is_right(tmp_path: Path) -> None:
    (tmp_path / "prometheus.yml").write_text(documented())
    (tmp_path / RULES.name).write_bytes(RULES.read_bytes())
    said = promtool("check", "config", "--syntax-only", str(tmp_path / "prometheus.yml"))
    assert "SUCCESS" in said


def test_the_rules_are_right_and_their_unit_tests_pass() -> None:
    assert "10 rules found" in promtool("check", "rules", str(RULES))
    assert "SUCCESS" in promtool("test", "rules", str(RULE_TESTS))


def test_every_rule_has_a_unit_test_in_which_it_fires() -> None:
    text = RULE_TESTS.read_text()
    for alert in re.findall(r"alert: (\w+)", RULES.read_text()):
        assert re.search(rf"alertname: {alert}\n +exp_alerts:\n +- exp_labels", text), alert


def test_what_is_wrong_with_the_fleet_fires(running: Running) -> None:
    firing = {one["metric"]["alertname"]: one["metric"] for one in running.asked("query", query="ALERTS")["result"]}
    bug = firing["KafkaFleetBugConfirmed"]
    assert (bug["cluster"], bug["advisory"], bug["severity"]) == ("payments-eu", "KAFKA-14334", "warning")
    assert firing["KafkaFleetClusterNotJudged"]["cluster"] == "lost-eu"
    rules = [rule for group in running.asked("rules")["groups"] for rule in group["rules"]]
    assert {rule["health"] for rule in rules} == {"ok"}


def test_a_target_label_cluster_renames_none_of_ours(running: Running) -> None:
    assert running.asked("query", query='{exported_cluster!=""}')["result"] == []
    judged = running.asked("query", query="kafka_fleet_cluster_judged")["result"]
    assert {one["metric"]["cluster"] for one in judged} == {"archive-eu", "lost-eu", "payments-eu"}
    (days,) = running.asked("query", query="kafka_fleet_judgements")["result"]
    assert days["metric"]["cluster"] == OWN  # of no cluster of the fleet: the target's label is on it


def test_the_runbook_of_an_alert_is_a_page_that_there_is(running: Running) -> None:
    said = {one["labels"]["alertname"]: one["annotations"] for one in running.asked("alerts")["alerts"]}
    host = running.page.removeprefix("http://")
    for alert in ("KafkaFleetBugConfirmed", "KafkaFleetClusterNotJudged"):
        start, place = said[alert]["runbook_url"].split("/fleet-health")
        assert start == f"https://{host}"
        answer = requests.get(running.page + place, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8"), alert


def queries() -> list[tuple[str, str]]:
    """Title and query of each panel; variables stand for all that there is."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [(panel["title"], re.sub(r"\$\w+", ".*", target["expr"])) for panel in panels for target in panel["targets"]]


@pytest.mark.parametrize(("title", "query"), queries())
def test_a_panel_of_the_dashboard_shows_something(running: Running, title: str, query: str) -> None:
    assert running.asked("query", query=query)["result"], title


def test_rules_and_dashboard_name_only_what_is_there(running: Running) -> None:
    answer = requests.get(f"{running.page}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30).text
    there = set(re.findall(r"^# TYPE (\S+) gauge$", answer, re.MULTILINE))
    named = set(NAME.findall(RULES.read_text())) | set(NAME.findall(DASHBOARD.read_text()))
    assert named <= there
    assert "kafka_fleet_finding" in there


def test_the_dashboards_panels_have_places_of_their_own() -> None:
    dashboard = json.loads(DASHBOARD.read_text())
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not taken & cells, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
