"""A finding acknowledged from its cluster's page: what is written, what is shown of it, and who may not."""

import re

import pytest
from fastapi import Depends, HTTPException, Request
from fastapi.testclient import TestClient

from kafka_fleet.config.acknowledgements import load_acknowledgements
from kafka_fleet.page.app import make_app
from support.builders.letter_rows import DS
from support.builders.published_days import four_days

SAID = {"day": DS, "finding": "KAFKA-14334", "reason": "Upgrade is planned for January."}
SAID |= {"owner": "oncall@example.org", "expires": "2026-12-31"}


@pytest.fixture
def home(tmp_path):
    four_days(tmp_path)
    return tmp_path


def text(answer):
    """What a reader reads: no markup, single blanks."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())


@pytest.fixture
def write(home):
    """Sends the form of a cluster's page, from that page unless other headers are given; gives the app's client too."""
    (home / "fleet.yaml").write_text("")
    web = TestClient(make_app(lambda: home, [], lambda: home / "fleet.yaml"), follow_redirects=False)

    def send(cluster="payments-eu", headers=None, what="acknowledgements", **other):
        headers = {"Sec-Fetch-Site": "same-origin"} if headers is None else headers
        return web.post(f"/clusters/{cluster}/{what}", data=SAID | other, headers=headers), web

    return send


def test_a_finding_is_acknowledged_from_the_page_and_shown_so(write, home):
    answer, web = write()
    assert answer.status_code == 303
    assert answer.headers["location"] == f"../payments-eu?day={DS}"
    (one,) = load_acknowledgements(home / "acknowledgements.yaml").entries
    assert (one.cluster, one.advisory, one.verdict, one.reason) == (
        "payments-eu",
        "KAFKA-14334",
        "confirmed",
        SAID["reason"],
    )
    said = text(web.get("/clusters/payments-eu"))
    assert "Acknowledged until 2026-12-31. Upgrade is planned for January. oncall@example.org" in said
    assert write()[0].status_code == 409
    written = (home / "acknowledgements.yaml").read_text()
    (home / "acknowledgements.yaml").write_text(written.replace("release: 3.3.1", "release: 3.3.0"))
    assert "Reopened. It was acknowledged for release 3.3.0." in text(web.get("/clusters/payments-eu"))


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ({"headers": {}}, 403),
        ({"headers": {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"}}, 403),
        ({"headers": {"Origin": "http://evil.example.org"}}, 403),
        ({"finding": "KAFKA-1"}, 404),
        ({"cluster": "nowhere"}, 404),
        ({"day": "2020-01-01"}, 404),
        ({"reason": "no"}, 422),
        ({"expires": "never"}, 422),
        ({"owner": "nobody"}, 422),
        ({"day": "../x"}, 422),
    ],
)
def test_what_is_not_to_be_written_is_not(write, home, other, status):
    assert write(**other)[0].status_code == status
    assert not (home / "acknowledgements.yaml").exists()


def test_who_is_logged_in_is_kept_and_shown(home):
    def user(request: Request) -> str:
        return f"Airflow user {request.headers['X-Login']}"

    (home / "fleet.yaml").write_text("")
    web = TestClient(make_app(lambda: home, [], lambda: home / "fleet.yaml", user=Depends(user)))
    headers = {"Sec-Fetch-Site": "same-origin", "X-Login": "<b>alice</b>" + "x" * 4_000}
    form = SAID | {"acknowledged_by": "Airflow user bob", "by": "Airflow user bob"}
    shown = web.post("/clusters/payments-eu/acknowledgements", data=form, headers=headers)
    assert shown.status_code == 200
    (one,) = load_acknowledgements(home / "acknowledgements.yaml").entries
    assert one.acknowledged_by.startswith("Airflow user <b>alice</b>x")
    assert len(one.acknowledged_by) < 500
    assert "oncall@example.org , entered by Airflow user &lt;b&gt;alice&lt;/b&gt;x" in text(shown)


def test_a_hostile_neighbour_in_the_folder_has_nothing_overwritten(write, home):
    victim = home / "airflow.cfg"
    victim.write_text("[core]\n")
    (home / ".acknowledgements.yaml.tmp").symlink_to(victim)
    assert write()[0].status_code == 303
    assert (victim.read_text(), (home / "acknowledgements.yaml").is_symlink()) == ("[core]\n", False)
    (home / "acknowledgements.yaml").unlink()
    (home / "acknowledgements.yaml").symlink_to(victim)
    for what in ("acknowledgements", BACK):
        answer, _web = write(what=what)
        assert answer.status_code == 409
        assert "cknowledgements.yaml: is not written: it is a link" in text(answer)
        assert str(home) not in answer.text
    assert victim.read_text() == "[core]\n"


BACK = "acknowledgements/removal"


def test_an_acknowledgement_is_taken_back_from_the_page(write, home):
    _answer, web = write()
    form = re.search(
        r'<form method="post" action="([^"]+/removal)">(.*?)</form>', web.get("/clusters/payments-eu").text, re.S
    )
    assert form[1] == f"payments-eu/{BACK}"
    assert "Take back" in form[2]
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[2]))
    assert fields == {"day": DS, "finding": "KAFKA-14334"}
    answer = web.post(f"/clusters/{form[1]}", data=fields, headers={"Sec-Fetch-Site": "same-origin"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"../../payments-eu?day={DS}")
    assert load_acknowledgements(home / "acknowledgements.yaml").entries == []
    said = web.get("/clusters/payments-eu").text
    assert "/removal" not in said
    assert "Acknowledge KAFKA-14334" in said
    assert write(what=BACK)[0].status_code == 409


def test_one_that_outlived_its_finding_is_shown_and_can_be_taken_back(write, home):
    write()
    path = home / "acknowledgements.yaml"
    path.write_text(path.read_text().replace("KAFKA-14334", "KAFKA-9"))
    _answer, web = write(cluster="nowhere")
    said = text(web.get("/clusters/payments-eu"))
    assert "Acknowledged, and not found on this day KAFKA-9 , until 2026-12-31: Upgrade is planned" in said
    assert write(what=BACK, finding="KAFKA-9")[0].status_code == 303
    assert "not found on this day" not in text(web.get("/clusters/payments-eu"))


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ({"headers": {}}, 403),
        ({"headers": {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"}}, 403),
        ({"headers": {"Sec-Fetch-Site": "same-site"}}, 403),
        ({"headers": {"Origin": "null"}}, 403),
        ({"cluster": "archive-eu"}, 409),
        ({"finding": "KAFKA-1"}, 409),
        ({"cluster": ".."}, 404),
        ({"cluster": "PAYMENTS"}, 404),
        ({"day": "../x"}, 422),
    ],
)
def test_what_is_not_to_be_taken_back_stays(write, home, other, status):
    write()
    written = (home / "acknowledgements.yaml").read_bytes()
    answer, _web = write(what=BACK, **other)
    assert answer.status_code == status
    assert str(home) not in answer.text
    assert (home / "acknowledgements.yaml").read_bytes() == written


def test_an_older_browser_is_known_by_its_origin(write):
    assert write(headers={"Origin": "http://testserver"})[0].status_code == 303


def test_writing_has_a_guard_of_its_own(home):
    def nobody():
        raise HTTPException(403)

    web = TestClient(make_app(lambda: home, [], lambda: home / "fleet.yaml", [Depends(nobody)]))
    assert web.get("/clusters/payments-eu").status_code == 200
    for what in ("acknowledgements", BACK):
        answer = web.post(f"/clusters/payments-eu/{what}", data=SAID, headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status_code == 403
    assert not (home / "acknowledgements.yaml").exists()


def test_without_a_fleet_file_nothing_can_be_written(home):
    web = TestClient(make_app(lambda: home, []))
    assert '<form method="post"' not in web.get("/clusters/payments-eu").text
    for what in ("acknowledgements", BACK):
        answer = web.post(f"/clusters/payments-eu/{what}", data=SAID, headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status_code == 404
