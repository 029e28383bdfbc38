"""Short letters in a real browser, on a phone and a desk, light and dark: nothing is wider, cut or loaded."""

from collections.abc import Iterator

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 900])
@pytest.mark.parametrize("name", LETTERS)
def test_a_letter_fits_and_can_be_read(browser: Browser, name: str, width: int, scheme: str) -> None:
    size = {"width": width, "height": 740}
    with watched(browser, viewport=size, color_scheme=scheme, bypass_csp=True) as seen:
        seen.page.set_content(LETTERS[name])
        assert overflow(seen.page) <= 0
        found = violations(seen.page)
        if scheme == "dark":
            found.pop("color-contrast", None)  # axe takes the browser's own dark ground, which nothing sets, for white
        assert found == {}
        assert seen.asked == []


def test_dark_is_dark_though_no_rule_of_the_letter_says_so(browser: Browser) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        with watched(browser, color_scheme=scheme) as seen:
            seen.page.set_content(LETTERS["confirmed"])
            colours[scheme] = seen.page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert colours == {"light": "rgb(0, 0, 0)", "dark": "rgb(255, 255, 255)"}


def test_no_cause_of_any_signature_is_wider_than_a_phone(browser: Browser) -> None:
    with watched(browser, viewport={"width": 360, "height": 740}) as seen:
        for one in detected():
            report, findings = judged(one)
            _subject, made = short_of(report, findings, compare(None, findings, None, True, lambda *_: 9))
            seen.page.set_content(made.html)
            assert overflow(seen.page) <= 0, one["case"]
            assert seen.page.locator("[role=img]").get_attribute("aria-label").startswith("Measured "), one["case"]
