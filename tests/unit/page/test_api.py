"""The JSON API over published days: lists in pages, filters that refuse what they do not know, the same guard."""

import json
from pathlib import Path

import jsonschema
import pytest
from fastapi import Depends, HTTPException
from fastapi.testclient import TestClient

from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import fingerprint
from kafka_fleet.page.api import PATH
from kafka_fleet.page.app import make_app
from support.builders.letter_rows import DS, finding
from support.builders.page_client import client
from support.builders.published_days import BUG, confirmed, day, dossier, exposed, four_days, publish_day

HOSTILE = 't\ud800\u202e\n"</script>'
PATHS = ["/days", "/clusters", "/findings", f"/findings/{'0' * 32}", "/openapi.json"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    four_days(tmp_path)
    return tmp_path


def get(home: Path, path: str):
    answer = client(home).get(f"{PATH}{path}")
    assert answer.headers["content-type"] == "application/json"
    return answer


def test_days_the_latest_first_in_pages(home):
    answer = get(home, "/days?limit=2&offset=1").json()
    assert answer == {
        "items": [{"day": day(back), "generation": "g0001"} for back in (1, 2)], "total": 4, "limit": 2, "offset": 1,
    }  # fmt: skip


def test_clusters_of_a_day_and_whether_they_were_judged(home):
    answer = get(home, "/clusters").json()
    assert answer["day"] == DS
    assert [(one["cluster"], one["judged"]) for one in answer["items"]] == [
        ("archive-eu", True), ("lost-eu", False), ("payments-eu", True),
    ]  # fmt: skip
    assert answer["items"][2]["counts"]["confirmed"] == 1
    assert answer["items"][2]["signatures"]["fetch_latency"] == "confirmed"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", ["payments-eu confirmed", "lost-eu unknown"]),
        ("cluster=payments-eu", ["payments-eu confirmed"]),
        ("cluster=payments-eu&cluster=lost-eu&verdict=confirmed", ["payments-eu confirmed"]),
        ("verdict=not_affected", []),
        ("owner=b@example.org", []),
        ("environment=production&verdict=unknown", ["lost-eu unknown"]),
        ("advisory=KAFKA-14334", ["payments-eu confirmed"]),
        ("severity=low", []),
        (f"day={day(3)}", ["payments-eu exposed", "lost-eu unknown"]),
        ("limit=1&offset=1", ["lost-eu unknown"]),
    ],
)
def test_filters(home, asked, found):
    answer = get(home, f"/findings?{asked}").json()
    assert [f"{one['cluster']} {one['verdict']}" for one in answer["items"]] == found
    assert answer["total"] == (2 if "limit" in asked else len(found))


def test_clusters_that_were_not_judged_are_named_since_silence_is_no_health(home):
    assert get(home, "/findings?verdict=confirmed").json()["not_judged"] == ["lost-eu"]
    assert get(home, "/findings?cluster=payments-eu").json()["not_judged"] == []


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/findings?clsuter=payments-eu", 422, "there is no parameter clsuter"),
        ("/findings?verdict=bad", 422, "verdict"),
        ("/findings?limit=0", 422, "limit"),
        ("/findings?limit=501", 422, "limit"),
        ("/findings?offset=-1", 422, "offset"),
        ("/findings?limit=x&offset=y", 422, "limit: "),
        ("/findings?day=yesterday", 422, "day: 'yesterday' is no date; a day is written YYYY-MM-DD"),
        ("/findings?day=2026-13-01", 422, "is no date"),
        ("/findings?day=2020-01-01", 404, "2020-01-01 is not judged"),
        ("/findings?cluster=payment-eu", 404, f"{DS} has no cluster payment-eu"),
        ("/findings?owner=nobody@example.org", 404, f"no cluster of {DS} has the owner nobody@example.org"),
        ("/findings?advisory=KAFKA-0", 404, f"{DS} was not judged by an advisory KAFKA-0"),
        ("/clusters?owner=nobody@example.org", 404, "no cluster of"),
        ("/findings/..%2f..%2fetc", 404, ""),
        (f"/findings/{'0' * 32}", 404, f"{DS} has no finding with this fingerprint"),
        ("/nothing", 404, "Not Found"),
    ],
)
def test_what_is_refused_in_one_sentence(home, path, status, sentence):
    answer = get(home, path)
    assert (answer.status_code, list(answer.json())) == (status, ["detail"])
    assert sentence in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]
    assert "http" not in answer.json()["detail"]


def test_nothing_is_judged_yet(tmp_path):
    assert get(tmp_path, "/days").json()["items"] == []
    answer = get(tmp_path, "/findings")
    assert (answer.status_code, answer.json()) == (404, {"detail": "nothing is judged yet"})


def test_one_finding_with_its_evidence_and_the_days_before(home):
    (row,) = get(home, "/findings?cluster=payments-eu").json()["items"]
    assert row["fingerprint"] == fingerprint(
        "payments-eu", Finding.model_validate(confirmed())
    )  # earlier versions stored none
    answer = get(home, f"/findings/{row['fingerprint']}").json()
    assert answer["finding"] == row
    assert row["evidence"][0]["mbean"].startswith("kafka.server:")
    states = ["clean", "unseen", "fired", "fired"]
    assert [(one["day"], one["state"]) for one in answer["history"]] == [
        (day(3 - place), state) for place, state in enumerate(states)
    ]
    earlier = get(home, f"/findings/{row['fingerprint']}?day={day(3)}").json()
    assert earlier["finding"]["verdict"] == "exposed"
    assert [one["day"] for one in earlier["history"]] == [day(3)]


def test_names_of_whatever_characters_come_through_as_ascii(tmp_path):
    row = confirmed() | {"subjects": [HOSTILE], "missing": [HOSTILE]}
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), [row])}, letters=False)
    answer = get(tmp_path, "/findings")
    assert answer.content.isascii()
    assert b"\n" not in answer.content
    assert json.loads(answer.content)["items"][0]["subjects"] == [HOSTILE]


@pytest.mark.parametrize("damage", ['{"a": 1}', "[{}]", '[{"cluster": "a", "verdict": "confirmed"}]', "x", "[1]"])
def test_a_damaged_list_is_no_empty_one(tmp_path, damage):
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), [exposed()])}, letters=False)
    (tmp_path / f"findings/ds={DS}/g0001/findings.json").write_text(damage)
    for path in ("/findings", f"/findings/{'0' * 32}"):
        answer = get(tmp_path, path)
        assert answer.status_code == 409, answer.text
        assert "is damaged" in answer.json()["detail"]


def test_a_number_that_json_cannot_say_and_a_newer_version_are_refusals(tmp_path):
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), [confirmed()])}, letters=False)
    path = tmp_path / f"findings/ds={DS}/g0001/findings.json"
    rows = json.loads(path.read_text())
    path.write_text(json.dumps([{**rows[0], "bounds": {"lower": float("nan")}}]))
    assert get(tmp_path, "/findings").status_code == 409
    path.write_text(json.dumps([{**rows[0], "schema_version": 2}]))
    assert get(tmp_path, "/findings").status_code == 503


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("status", [401, 403])
def test_whom_the_page_refuses_the_api_refuses(home, path, status):
    def refuse():
        raise HTTPException(status, "Not allowed")

    answer = TestClient(make_app(lambda: home, [Depends(refuse)])).get(f"{PATH}{path}")
    assert (answer.status_code, answer.json()) == (status, {"detail": "Not allowed"})
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_written(home, method):
    assert getattr(client(home), method)(f"{PATH}/findings").status_code == 405


def test_answers_are_as_the_openapi_document_says(home):
    described = get(home, "/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    assert described["servers"] == [{"url": PATH}]
    assert sorted(described["paths"]) == ["/clusters", "/days", "/findings", "/findings/{fingerprint}"]
    (known,) = get(home, "/findings?cluster=payments-eu").json()["items"]
    for path in described["paths"]:
        answers = described["paths"][path]["get"]["responses"]
        assert {"200", "401", "403", "404", "422"} <= set(answers)
        schema = answers["200"]["content"]["application/json"]["schema"] | {"components": described["components"]}
        jsonschema.Draft202012Validator(schema).validate(
            get(home, path.format(fingerprint=known["fingerprint"])).json()
        )
    names = {one["name"] for one in described["paths"]["/findings"]["get"]["parameters"]}
    assert names == {"day", "cluster", "verdict", "severity", "owner", "environment", "advisory", "limit", "offset"}


def test_an_unexplained_symptom_has_a_fingerprint_of_its_own(tmp_path):
    rows = [
        finding(None, "look_alike", signature_state="detected", **BUG | {"cause": cause})
        for cause in ("follower", "redirect")
    ]
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), rows)}, letters=False)
    items = get(tmp_path, "/findings").json()["items"]
    assert len({one["fingerprint"] for one in items}) == 2
    for one in items:
        assert get(tmp_path, f"/findings/{one['fingerprint']}").json()["finding"]["cause"] == one["cause"]
