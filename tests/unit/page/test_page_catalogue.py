"""What do you see? The index, pages of symptoms and of known issues: each link leads somewhere, each id is its own."""

import html
import re

import pytest
from fastapi import Depends, HTTPException
from fastapi.testclient import TestClient

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.page.app import POLICY, make_app
from support.builders.page_client import client, text

SIGNATURES, ADVISORIES = load_signatures(), load_advisories()


def test_an_owner_finds_what_they_notice_and_what_it_may_be(tmp_path):
    said = text(client(tmp_path).get("/symptoms"))
    for one in ("Consumers are half a second late", "One broker drowns", "Offsets of a group went back"):
        assert one in said
    assert said.index("Consumers are half a second late") < said.index("follower : A follower that serves consumers")
    assert "What no symptom measures" in said


def test_every_link_of_the_index_leads_to_a_page(tmp_path):
    web = client(tmp_path)
    page = web.get("/symptoms").text
    links = set(re.findall(r'href="((?:issues|signatures)/[^"]+)"', page))
    assert {f"signatures/{name}" for name in SIGNATURES} <= links
    for link in links:
        assert web.get(f"/{link}").status_code == 200, link
    places = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= places


@pytest.mark.parametrize("name", list(SIGNATURES))
def test_a_symptom_has_its_picture_its_issues_and_how_to_silence_it(tmp_path, name):
    page = client(tmp_path).get(f"/signatures/{name}").text
    assert page.count('<svg class="wide"') == 1
    for one in ADVISORIES.values():
        assert (f'href="../issues/{one.id}"' in page) == (one.signature is not None and one.signature.id == name)
    assert f"--finding &#34;symptom {name} (" in page
    assert f"signature: {name}" in page


def test_every_issue_says_how_to_silence_itself_and_has_one_picture(tmp_path):
    web = client(tmp_path)
    for key, one in ADVISORIES.items():
        page = web.get(f"/issues/{key}")
        assert page.status_code == 200
        assert f"advisory: {key}" in page.text
        assert page.text.count('<svg class="wide"') == 1
        assert one.drawn is None or one.drawn.steps[0].says in html.unescape(page.text)
        assert page.headers["content-security-policy"] == POLICY
        assert not re.search(r"<script|\sstyle=|<style", page.text)


@pytest.mark.parametrize("path", ["/signatures/nobody", "/issues/KAFKA-0", "/issues/..%2f..%2fetc", "/issues/%3Cb%3E"])
def test_a_name_that_is_none_is_one_sentence(tmp_path, path):
    answer = client(tmp_path).get(path)
    assert answer.status_code == 404
    assert "<b>" not in answer.text


def test_the_guard_stands_before_them(tmp_path):
    def nobody():
        raise HTTPException(401)

    web = TestClient(make_app(lambda: tmp_path, [Depends(nobody)]))
    for path in ("/symptoms", "/signatures/fetch_latency", "/issues/KAFKA-14334"):
        assert web.get(path).status_code == 401
