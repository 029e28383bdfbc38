"""Findings over days: the day on which each fired first, what a day without a measurement says, what an upgrade did."""

import pytest

from kafka_fleet.documents.timeline import timelines
from support.builders.documents import day_summary
from support.builders.letter_rows import finding

BUG = "KAFKA-14334"
SHOWN = {"signature": "fetch_latency", "cause": "follower"}


def judged(verdict="confirmed", state="detected", release="3.3.1", advisory=BUG, reached=True):
    """The brief of a day with one finding."""
    exposure = "exposed" if release == "3.3.1" else "not_exposed"
    cause = {} if state == "detected" else {"cause": None}
    row = finding(advisory, verdict, signature_state=state, exposure=exposure, release=release, **SHOWN | cause)
    return day_summary([row], {"fetch_latency": state}, reached, {}, release)


QUIET = ("exposed", "quiet")
FIXED = ("not_affected", "quiet", "3.3.2")
STILL = ("look_alike", "detected", "3.3.2")
BLIND = ("exposed", "not_evaluated")


def line(*days):
    briefs = {f"2026-11-{number:02}": judged(*one) for number, one in enumerate(days, start=1)}
    return timelines("payments-eu", briefs)[0]


def test_it_first_fired_on_the_first_day_on_which_it_was_seen():
    found = line(QUIET, BLIND, ("confirmed",), QUIET, ("confirmed",))
    assert found.plain() | {"days": None} == {
        "cluster": "payments-eu", "finding": BUG, "signature": "fetch_latency", "cause": "follower",
        "first_fired": "2026-11-03", "last_fired": "2026-11-05", "worst": "confirmed",
        "after_upgrade": None, "days": None,
    }  # fmt: skip
    assert [one.state for one in found.days] == ["clean", "unseen", "fired", "clean", "fired"]


@pytest.mark.parametrize(
    ("days", "outcome"),
    [
        ([("confirmed",), FIXED, FIXED, FIXED], "gone"),
        ([("confirmed",), FIXED, FIXED], "waiting"),
        ([("confirmed",), FIXED, ("not_affected", "not_evaluated", "3.3.2"), FIXED], "waiting"),
        ([("confirmed",), STILL], "still there"),
        ([("confirmed",), FIXED, FIXED, FIXED, STILL], "still there"),
        ([("confirmed",), STILL, FIXED, FIXED, FIXED], "still there"),
        ([("confirmed",), QUIET, QUIET, QUIET], ""),
        ([("confirmed",)], ""),
        ([STILL, STILL], ""),
        ([FIXED, ("confirmed",)], ""),
    ],
)
def test_what_an_upgrade_did(days, outcome):
    assert line(*days).outcome == outcome


def test_the_day_after_an_upgrade_names_the_new_release_though_the_finding_is_not_there():
    assert [one.release for one in line(("confirmed",), FIXED).days] == ["3.3.1", "3.3.2"]


def test_an_unreached_day_is_no_clean_day():
    found = line(("confirmed",), (*FIXED, BUG, False))
    assert [one.state for one in found.days] == ["fired", "unseen"]


def test_what_release_and_settings_show_fires_by_them_alone():
    row = finding("CVE-1", "exposed", signature=None, cause=None, signature_state=None)
    plain = day_summary([row], {}, True, {}, "3.3.1")
    none = day_summary([], {}, True, {}, "3.9.2")
    briefs = {f"2026-11-0{n}": one for n, one in ((1, plain), (2, none))}
    (found,) = timelines("payments-eu", briefs)
    assert [(one.state, one.release) for one in found.days] == [("fired", "3.3.1"), ("clean", "3.9.2")]
