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

from support.builders.published_days import four_days
from support.live.prometheus import programs, server
from support.servers.page_server import TOKEN, page_server

ROOT = Path(__file__).resolve().parents[3]
RULES, DASHBOARD = ROOT / "docs/prometheus-rules.yml", ROOT / "docs/grafana-dashboard.json"
RULE_TESTS = ROOT / "tests/data/prometheus-rules-tests.yml"
NAME = re.compile(r"kafka_fleet_[a-z_]+")


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


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("scraped")
    four_days(folder / "home")
    with page_server(folder / "home") as page:
        target = {"metrics_path": "/metrics", "static_configs": [{"targets": [page.removeprefix("http://")]}]}
        jobs = [
            {**target, "job_name": name, "authorization": {"type": "Bearer", "credentials": token}}
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
