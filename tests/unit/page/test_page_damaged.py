"""The page over documents that are damaged: one sentence, and no other day is lost by it."""

import pytest
from fastapi.testclient import TestClient

from kafka_fleet.documents import published
from kafka_fleet.page.app import POLICY, make_app
from support.builders.letter_rows import DS
from support.builders.page_client import client, text
from support.builders.published_days import day, four_days


@pytest.fixture
def home(tmp_path):
    four_days(tmp_path)
    return tmp_path


PLACES = {"summary": "/", "clusters/payments-eu": "", "verdicts/payments-eu": "", "plots/payments-eu": ""}


@pytest.mark.parametrize("content", ["{", "[1]", "null", '{"schema_version": "x"}', "{}"])
def test_a_damaged_document_is_one_sentence(home, content):
    web = TestClient(make_app(lambda: home, []), raise_server_exceptions=False)
    for name, path in PLACES.items():
        if (name, content) == ("plots/payments-eu", "{}"):
            continue  # a document that is whole and has no plot
        (document,) = home.glob(f"findings/ds={DS}/*/{name}.json")
        whole = document.read_bytes()
        document.write_text(content)
        answer = web.get(path or f"/clusters/payments-eu?day={DS}")
        assert (answer.status_code, "damaged" in text(answer)) == (409, True), name
        assert answer.headers["content-security-policy"] == POLICY
        document.write_bytes(whole)
        published._parsed.cache_clear()  # elsewhere a generation's documents never change


def test_a_damaged_judgement_of_an_earlier_day_is_named_and_costs_no_other(home):
    (document,) = home.glob(f"findings/ds={day(1)}/*/verdicts/payments-eu.json")
    document.write_text("{")
    answer = client(home).get("/clusters/payments-eu")
    assert answer.status_code == 200
    assert f"ds={day(1)}" in text(answer)
    assert "is damaged (JSONDecodeError)." in text(answer)
    assert client(home).get(f"/clusters/payments-eu?day={day(1)}").status_code == 409
