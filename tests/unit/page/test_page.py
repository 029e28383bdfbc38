"""The Fleet Health page over published days: what it shows, how it is filtered, what it refuses, how it is guarded."""

import json
import re

import pytest
from fastapi import Depends, HTTPException
from fastapi.testclient import TestClient

from kafka_fleet.page.app import LETTER_POLICY, POLICY, make_app
from support.builders.letter_rows import DS, finding
from support.builders.letter_samples import unreached
from support.builders.page_client import client, text
from support.builders.published_days import BUG, confirmed, day, dossier, exposed, four_days, publish_day

HOSTILE = '<script>alert(1)</script>"onload=x \u202e'


@pytest.fixture
def home(tmp_path):
    four_days(tmp_path)
    return tmp_path


def rows_of(answer):
    return re.findall(r'<th scope="row"><a href="clusters/([a-z0-9-]+)\?day=', answer.text)


def test_the_fleet_on_one_screen_those_that_need_a_look_first(home):
    answer = client(home).get("/")
    assert answer.status_code == 200
    assert rows_of(answer) == ["lost-eu", "payments-eu", "archive-eu"]
    assert "3 clusters: 1 has a confirmed bug, 1 was not measured" in text(answer)
    assert "Confirmed; shown on 2 of 4 days" in answer.text
    assert 'href="../dags/fleet_health/runs/scheduled__2026-11-20T00%3A00%3A00%2B00%3A00"' in answer.text
    trend = re.search(
        r'<tr><th scope="row"><a href="clusters/payments-eu.*?class="strip"[^>]*>(.*?)</span>', answer.text
    )
    assert re.findall(r'class="(\w+)"', trend[1]) == ["quiet", "not_evaluated", "confirmed", "confirmed"]


@pytest.mark.parametrize(
    ("asked", "clusters"),
    [
        ("verdict=confirmed", ["payments-eu"]),
        ("verdict=not_measured", ["lost-eu"]),
        ("verdict=not_affected", ["archive-eu"]),
        ("environment=staging", ["archive-eu"]),
        ("owner=b@example.org", ["archive-eu"]),
        ("owner=b@example.org&verdict=confirmed", []),
        (f"day={day(3)}&verdict=exposed", ["payments-eu"]),
    ],
)
def test_filters(home, asked, clusters):
    answer = client(home).get(f"/?{asked}")
    assert rows_of(answer) == clusters
    assert clusters or "No cluster is like that on this day." in answer.text


def test_an_earlier_day_knows_nothing_of_later_ones(home):
    answer = client(home).get(f"/?day={day(2)}")
    assert "confirmed bug" in text(answer)
    assert "0 have a confirmed bug" in text(answer)
    assert "Judged from the command line" in answer.text


def test_a_cluster_with_history_figures_plan_coverage_and_letter(home):
    web = client(home)
    answer = web.get("/clusters/payments-eu")
    said = text(answer)
    assert f"{day(1)} worse: confirmed" in said
    assert f"{day(3)} first seen: exposed" in said
    assert "threshold 30" in said
    assert len(re.findall(r'<rect class="(?:over|under)"', answer.text)) == 144
    assert "Now: broker to 3.3.2" in said
    assert "Broker 3 gave no measurement" in said
    assert f'href="../letters/{DS}/payments-eu"' in answer.text
    letter = web.get(f"/letters/{DS}/payments-eu")
    assert letter.content == (home / f"reports/ds={DS}/payments-eu.html").read_bytes()
    assert letter.headers["content-security-policy"] == LETTER_POLICY


def test_a_day_without_a_measurement_neither_mends_nor_breaks_a_finding(tmp_path):
    reached, lost = dossier("a", DS), {"coverage": unreached()["coverage"]}
    for back, rows, more in (
        (4, [confirmed()], {}),
        (3, [finding("KAFKA-14334", "unknown", **BUG)], lost),
        (2, [confirmed()], {}),
        (1, [], {}),
        (0, [exposed()], {}),
    ):
        state = {"fetch_latency": "detected" if rows and rows[0]["verdict"] == "confirmed" else "quiet"}
        publish_day(tmp_path, day(back), {"a": (dossier("a", day(back), state, **more), rows)}, letters=False)
    said = text(client(tmp_path).get("/clusters/a"))
    found = re.findall(r"(\d{4}-\d\d-\d\d) (first seen: \w+|seen again: \w+|worse: \w+|better: \w+|resolved)", said)
    assert found == [(day(0), "seen again: exposed"), (day(1), "resolved"), (day(4), "first seen: confirmed")]
    assert "This day has no letter" in said
    assert reached["cluster"] == "a"


def test_what_lies_before_the_days_that_are_looked_at_is_neither_read_nor_claimed(tmp_path, monkeypatch):
    for back in range(5):
        rows = [confirmed()] if back == 0 else []
        publish_day(tmp_path, day(back), {"a": (dossier("a", day(back)), rows)}, letters=False)
    monkeypatch.setattr("kafka_fleet.page.cluster_page.LOOK_BACK", 3)
    said = text(client(tmp_path).get("/clusters/a"))
    assert f"{day(0)} first seen in 60 judged days: confirmed" in said
    assert (day(2) in said, day(3) in said) == (True, False)
    assert f"<option selected>{day(4)}</option>" in client(tmp_path).get(f"/clusters/a?day={day(4)}").text
    monkeypatch.setattr("kafka_fleet.page.cluster_page.FURTHEST", 2)
    assert client(tmp_path).get("/clusters/b").status_code == 404


def test_what_was_not_measured_today_is_not_said_to_be_unaffected(tmp_path):
    for back, state, rows in (
        (1, "detected", [finding(None, "look_alike", signature_state="detected", **BUG)]),
        (0, "not_evaluated", []),
    ):
        publish_day(
            tmp_path, day(back), {"a": (dossier("a", day(back), {"fetch_latency": state}), rows)}, letters=False
        )
    row = re.search(r"symptom fetch_latency.*?</tr>", client(tmp_path).get("/clusters/a").text, re.S)[0]
    assert "badge unknown" in row
    assert "not_affected" not in row


@pytest.mark.fault(50)
def test_a_cluster_on_a_day_of_an_older_version_is_shown_from_its_findings(home):
    expected = text(client(home).get(f"/clusters/payments-eu?day={DS}"))
    for path in home.glob(f"findings/ds={DS}/*/verdicts/*"):
        path.unlink()
    answer = client(home).get(f"/clusters/payments-eu?day={DS}")
    assert answer.status_code == 200
    assert text(answer) == expected
    assert "Confirmed" in expected


def test_a_home_without_a_judged_day_says_what_to_do(tmp_path):
    assert "No day is judged yet" in text(client(tmp_path).get("/"))
    assert client(tmp_path).get("/clusters/a").status_code == 404


@pytest.mark.fault(50)
def test_a_day_of_an_older_version_is_said_to_be_one(home):
    for path in home.glob(f"findings/ds={DS}/*/summary.json"):
        path.unlink()
    answer = client(home).get("/")
    assert answer.status_code == 200
    assert "judged before this page was there" in text(answer)


@pytest.mark.sampled("large-fleets")  # some seconds by its size; smaller fleets run every time
@pytest.mark.fault(38)
def test_a_thousand_clusters_come_in_pages(tmp_path):
    clusters = {f"c{number:04d}": (dossier(f"c{number:04d}", DS), []) for number in range(1000)}
    publish_day(tmp_path, DS, clusters, letters=False)
    web = client(tmp_path)
    seen = [name for page in range(1, 11) for name in rows_of(web.get(f"/?page={page}"))]
    assert seen == sorted(clusters)
    assert rows_of(web.get("/?page=99")) == seen[-100:]
    assert "1,000 of 1,000 clusters" in text(web.get("/"))
    assert len(web.get("/").content) < 1_000_000


def every(web):
    paths = ["/", "/clusters/payments-eu", "/page.css", f"/letters/{DS}/payments-eu", "/clusters/nobody", "/?page=x"]
    return {path: web.get(path) for path in paths}


@pytest.mark.fault(53)
def test_every_answer_has_a_strict_policy_and_no_script(home):
    for path, answer in every(client(home)).items():
        assert answer.headers["x-content-type-options"] == "nosniff", path
        assert answer.headers["cache-control"] == "no-store"
        if path.startswith("/letters") or path == "/page.css":
            continue
        assert answer.headers["content-security-policy"] == POLICY
        assert not re.search(r"<script|\son\w+=|\sstyle=|javascript:", answer.text)
        assert not re.search(r"""(src|action|srcset|data)=["']?(https?:)?//|<link[^>]+//""", answer.text), "no asset"
        assert set(re.findall(r'href="(https?://[^/"]+)', answer.text)) <= {"https://issues.apache.org"}, "a record"
        assert re.search(r'<link rel="stylesheet" href="(\.\./)*page\.css">', answer.text)


@pytest.mark.fault(53)
def test_what_a_cluster_supplied_is_text(tmp_path):
    about = dossier("a", DS, {"fetch_latency": "detected"}, mode=HOSTILE, environment=HOSTILE, owners=[HOSTILE])
    about["coverage"]["brokers"][0] |= {"host": HOSTILE, "release": HOSTILE, "failures": [HOSTILE]}
    about["coverage"]["not_measured"] = [HOSTILE]
    about["signatures"][0]["title"] = about["signatures"][0]["charts"][0]["title"] = HOSTILE
    row = finding(None, "look_alike", signature="fetch_latency", cause=HOSTILE, signature_state="detected")
    publish_day(tmp_path, DS, {"a": (about, [row])}, letters=False)
    for path in ("/", "/clusters/a"):
        answer = client(tmp_path).get(path)
        assert answer.status_code == 200
        assert "<script" not in answer.text
        assert '"onload' not in answer.text
        assert "\u202e" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/clusters/..%2f..%2fetc",
        "/clusters/%2e%2e",
        "/letters/2026-11-20/..%2findex",
        "/letters/..%2f..%2fraw/payments-eu",
        "/letters/2026-13-01/payments-eu",
        "/clusters/payments-eu?day=2026-02-31",
        "/clusters/PAYMENTS",
    ],
)
def test_a_name_cannot_leave_the_published_days(home, path):
    assert client(home).get(path).status_code in (404, 422)


def test_the_guard_stands_before_every_page(home):
    def nobody():
        raise HTTPException(401)

    web = TestClient(make_app(lambda: home, [Depends(nobody)]))
    answers = every(web)
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(answers, 401)
    for answer in (*answers.values(), client(home).get("/nowhere"), client(home).post("/")):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == POLICY
    assert json.dumps(web.get("/openapi.json").status_code) in ("404", "401")
