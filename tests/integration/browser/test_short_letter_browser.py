"""Short letters in a real browser, on a phone and a desk, light and dark: nothing is wider, cut or loaded."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from kafka_fleet.report.changes import compare
from support.browser.browser import chromium, overflow, violations, watched
from support.builders.detected_cases import detected, judged
from support.builders.documents import render_short, short_of
from support.builders.letter_samples import payments, payments_findings, unreached, unreached_findings

PAGE = "https://airflow.example.org/fleet-health"
LETTERS = {
    "confirmed": render_short(payments(), payments_findings(), "2026-11-19", {}, page=PAGE)[1].html,
    "attached": render_short(payments(), payments_findings())[1].html,
    "unreached": render_short(unreached(), unreached_findings(), last_measured="2026-11-18")[1].html,
}
GOLDEN = sorted((Path(__file__).resolve().parents[2] / "golden" / "letters").glob("*.html"))
BODY = re.compile(r"<body[^>]*>(.*?)</body>", re.DOTALL)
# axe takes the browser's own ground, which nothing sets, for white
GROUND = "document.documentElement.style.backgroundColor = 'Canvas'"
# pages of mail clients that take a letter's head away, and colour ground and text themselves
CLIENTS = {
    "a client's dark page": "background:#1f1f1f;color:#e8e8e8;",
    "a client's light page": "background:#fff;color:#222;",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.sampled("letters-fit"))])
@pytest.mark.parametrize("width", [360, 900])
@pytest.mark.parametrize("name", LETTERS)
def test_a_letter_fits_and_can_be_read(browser: Browser, name: str, width: int, scheme: str) -> None:
    size = {"width": width, "height": 740}
    with watched(browser, viewport=size, color_scheme=scheme, bypass_csp=True) as seen:
        seen.page.set_content(LETTERS[name])
        assert overflow(seen.page) <= 0
        seen.page.evaluate(GROUND)
        assert violations(seen.page) == {}
        assert seen.asked == []


@pytest.mark.parametrize(
    "where",
    [
        *(pytest.param(one, marks=pytest.mark.sampled("letters-fit")) for one in ("light", "dark")),
        *(pytest.param(one, marks=pytest.mark.sampled("letters-in-clients")) for one in CLIENTS),
    ],
)
def test_every_golden_letter_fits_and_its_links_stand_out_from_the_ground(browser: Browser, where: str) -> None:
    """All of them below each other; in a client's page there is nothing left of a letter but its body."""
    assert len(GOLDEN) >= 11
    bodies = "".join(BODY.findall("".join(path.read_text(encoding="utf-8") for path in GOLDEN)))
    head = '<meta name="color-scheme" content="light dark">' if where not in CLIENTS else ""
    scheme = where if where in ("light", "dark") else None
    with watched(browser, color_scheme=scheme, bypass_csp=True) as seen:
        seen.page.set_content(f'<html>{head}<body style="margin:0;{CLIENTS.get(where, "")}">{bodies}</body></html>')
        assert seen.page.locator("h1").count() == len(GOLDEN)
        assert seen.page.locator("style, img").count() == 0
        for width in (900, 360):
            seen.page.set_viewport_size({"width": width, "height": 740})
            assert overflow(seen.page) <= 0
        seen.page.evaluate(GROUND)
        assert violations(seen.page, "color-contrast") == {}
        assert seen.asked == []


def test_dark_is_dark_though_no_rule_of_the_letter_says_so(browser: Browser) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        with watched(browser, color_scheme=scheme) as seen:
            seen.page.set_content(LETTERS["confirmed"])
            colours[scheme] = seen.page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert colours == {"light": "rgb(0, 0, 0)", "dark": "rgb(255, 255, 255)"}


@pytest.mark.sampled("letters-fit")
def test_no_cause_of_any_signature_is_wider_than_a_phone(browser: Browser) -> None:
    with watched(browser, viewport={"width": 360, "height": 740}) as seen:
        for one in detected():
            report, findings = judged(one)
            _subject, made = short_of(report, findings, compare(None, findings, None, True, lambda *_: 9))
            seen.page.set_content(made.html)
            assert overflow(seen.page) <= 0, one["case"]
            assert seen.page.locator("[role=img]").get_attribute("aria-label").startswith("Measured "), one["case"]
