"""The fleet's page above its table: decisions, campaigns, the map of releases and who is missing."""

import re

import pytest
from fastapi.testclient import TestClient

from kafka_fleet.page.app import make_app
from support.builders.letter_rows import DS
from support.builders.page_client import client, text
from support.builders.published_days import confirmed, day, dossier, four_days, publish_day
from support.builders.upgrade_fleets import BUG, candidate

ENTRY = """version: 1
acknowledgements:
  - cluster: payments-eu
    advisory: KAFKA-14334
    reason: Upgrade is planned for January.
    owner: oncall@example.org
    acknowledged: {day}
    expires: {expires}
    verdict: confirmed
    severity: high
    release: 3.3.1
    subjects: []
"""


def part(answer, title, end="<h2"):
    return re.search(rf"<h2[^>]*>{title}</h2>(.*?){end}", answer.text, re.S)[1]


def test_a_confirmed_finding_needs_a_decision_and_leads_to_its_place(tmp_path):
    four_days(tmp_path)
    made = part(client(tmp_path).get("/"), "Needs a decision today")
    assert f'href="clusters/payments-eu?day={DS}#finding-KAFKA-14334"' in made
    assert "Upgrade brokers from 3.3.1 to 3.3.2." in made
    assert ">new<" not in made, "it was confirmed on the day before"
    assert ">new<" in part(client(tmp_path).get(f"/?day={day(1)}"), "Needs a decision today")
    quiet = part(client(tmp_path).get(f"/?day={day(3)}"), "Needs a decision today")
    assert "no bug is confirmed, and no measured symptom weighs high" in quiet


def test_an_acknowledgement_that_holds_takes_it_off_and_one_that_does_not_is_reopened(tmp_path):
    four_days(tmp_path)
    web = TestClient(make_app(lambda: tmp_path, [], lambda: tmp_path / "fleet.yaml"))
    file = tmp_path / "acknowledgements.yaml"
    file.write_text(ENTRY.format(day=DS, expires="2026-12-31"))
    made = part(web.get("/"), "Needs a decision today")
    assert "1 finding is acknowledged" in made
    assert "payments-eu" not in made
    file.write_text(ENTRY.format(day=day(5), expires=day(1)))
    assert "Reopened:" in part(web.get("/"), "Needs a decision today")


def test_who_is_missing_is_told_with_the_reason(tmp_path):
    four_days(tmp_path)
    made = part(client(tmp_path).get("/"), "Not measured, and why")
    assert "lost-eu" in made
    assert "no sweep of this day is stored" in made
    assert "broker 3; <bdi>timeout and refused</bdi>" in made


def fleet(home, count):
    clusters = {}
    for number in range(count):
        name = f"c{number:03}"
        about = dossier(name, DS, environment="staging" if number % 2 else "production")
        about["plan"] = about["plan"] | {"candidates": {"server": [candidate("3.9.2", [BUG])], "client": []}}
        clusters[name] = (about, [confirmed()] if number < 3 else [])
    publish_day(home, DS, clusters, letters=False)


def test_campaigns_and_the_map_are_those_of_the_clusters_that_are_asked_for(tmp_path):
    fleet(tmp_path, 6)
    for query, count in (("", 3), ("?environment=production", 2), ("?environment=staging", 1)):
        answer = client(tmp_path).get(f"/{query}")
        row = re.search(r'<th scope="row">3\.9\.2.*?</tr>', part(answer, "Upgrade campaigns"), re.S)[0]
        assert f'<b class="num">{count}</b> confirmed' in row
    grid = part(client(tmp_path).get("/"), "Clusters and releases")
    assert grid.count("closes 1 confirmed") == 6, "as a title and for screen readers"


@pytest.mark.sampled("large-fleets")  # some seconds by its size; smaller fleets run every time
def test_three_hundred_clusters_are_bounded(tmp_path):
    fleet(tmp_path, 300)
    answer = client(tmp_path).get("/")
    assert "260 more clusters with less to gain" in text(answer)
    assert "260 more clusters with less to gain" in text(client(tmp_path).get("/?page=2"))


def test_a_cluster_whose_document_is_damaged_or_gone_costs_no_other(tmp_path):
    fleet(tmp_path, 3)
    documents = sorted(tmp_path.glob(f"findings/ds={DS}/*/clusters/*.json"))
    documents[0].write_text("{")
    documents[1].unlink()
    answer = client(tmp_path).get("/")
    assert answer.status_code == 200
    assert part(answer, "Not measured, and why").count("this day has no document of it") == 2
    assert '<b class="num">1</b>' in part(answer, "Upgrade campaigns")


def test_names_of_clients_and_reasons_are_text(tmp_path):
    about = dossier("a", DS, mode="ZooKeeper")
    hostile = '<script>alert(1)</script>"onload=x \u202e'
    about["clients"] = [{"software": "apache-kafka-java", "version": "1.0.0", "listener": hostile, "connections": 3}]
    about["coverage"]["brokers"][2]["failures"] = [hostile]
    about["plan"] = about["plan"] | {"candidates": {"server": [candidate("4.4.0", [BUG])], "client": []}}
    row = confirmed() | {"subjects": [hostile]}
    publish_day(tmp_path, DS, {"a": (about, [row])})
    stored = (tmp_path / f"reports/ds={DS}/index.html").read_text()
    for page in (client(tmp_path).get("/").text, stored):
        assert "&lt;script&gt;" in page
        assert "<script" not in page
        assert '"onload' not in page
        assert "\u202e" not in page
