"""A cluster's page: each finding in full with an address, its groups, and the timeline over rolls and upgrades."""

import re

from kafka_fleet.documents.finding import parsed_findings
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.documents.summary import DaySummary
from kafka_fleet.page.findings import finding_groups
from kafka_fleet.page.timeline import ROWS, timeline_picture
from support.builders.documents import day_summary, report
from support.builders.letter_rows import ADVISORIES, DS, finding
from support.builders.letter_samples import payments, payments_findings
from support.builders.page_client import client, text
from support.builders.published_days import BUG, confirmed, day, dossier, exposed, publish_day


def groups(rows):
    found = finding_groups(report(payments()), parsed_findings(rows), ADVISORIES)
    return {one.verdict: one for one in found}


def test_every_finding_has_an_address_and_all_that_a_letter_leaves_out(tmp_path):
    publish_day(tmp_path, DS, {"payments-eu": (payments(), payments_findings())})
    page = client(tmp_path).get("/clusters/payments-eu").text
    places = re.findall(r'id="(finding-[^"]+)"', page)
    assert sorted(places) == [
        "finding-CVE-2026-33557",
        "finding-KAFKA-10888",
        "finding-KAFKA-14334",
        "finding-KAFKA-17076",
        "finding-symptom-partition_growth-growth",
    ], "not those that are not affected"
    assert len(set(re.findall(r'id="([^"]+)"', page))) == len(re.findall(r'id="([^"]+)"', page))
    kept = ("mean RemoteTimeMs of FetchConsumer", "Why it happens", "What separates it from its look-alikes")
    for said in (*kept, "kafka-console-consumer.sh", "lower 391, upper 462", "The rows behind it", "curl -s http"):
        assert said in page, said
    assert 'href="../signatures/fetch_latency"' in page
    assert 'href="../issues/KAFKA-14334"' in page


def test_a_letters_links_lead_to_parts_that_are_there(tmp_path):
    publish_day(tmp_path, DS, {"payments-eu": (payments(), payments_findings())})
    page = client(tmp_path).get("/clusters/payments-eu").text
    for place in ("exposed", "undecided", "coverage"):
        assert page.count(f'id="{place}"') == 1


def test_the_first_thing_said_is_what_is_confirmed_with_its_figure(tmp_path):
    publish_day(tmp_path, DS, {"payments-eu": (payments(), payments_findings())})
    said = text(client(tmp_path).get("/clusters/payments-eu"))
    first = said[: said.index("Findings of this day")]
    assert "Consumer group billing reads topics orders and refunds from the follower on broker 2" in first
    assert "45 %" in first.replace("\u00a0", " ")
    assert "Upgrade brokers from 3.3.1 to 3.3.2." in first
    assert first.index("orders") < first.index("45") < first.index("Upgrade brokers"), "as in the letter"


def test_exposures_are_told_by_the_release_that_closes_them_and_the_rest_by_what_is_missing():
    rows = [
        finding("KAFKA-17076", "exposed", upgrade_to="3.8.0"),
        finding("KAFKA-12964", "exposed", upgrade_to="3.8.0"),
        finding("CVE-2026-33557", "exposed", upgrade_to="3.9.2", severity="critical"),
        finding("CFG-MIN-ISR", "exposed"),
        finding("KAFKA-10888", "unknown", missing=["the settings of broker 3"]),
        finding("KAFKA-10889", "unknown", missing=["the settings of broker 3"]),
        finding("KAFKA-10890", "unknown"),
    ]
    found = groups(rows)
    assert [title for title, _part in found["exposed"].parts] == [
        "Closed by 3.8.0: 2 issues",
        "Closed by 3.9.2: 1 issue",
        "No release that closes it was named: 1 issue",
    ]
    assert [title for title, _part in found["unknown"].parts] == [
        "The settings of broker 3. (2 issues)",
        "No reason was recorded. (1 issue)",
    ]


def brief(release, *rows, states=None):
    return day_summary(list(rows), states or {"fetch_latency": "quiet"}, True, {}, release)


def test_a_timeline_shows_upgrades_rolls_restarts_and_what_became_of_a_finding():
    killed = finding(None, "look_alike", signature="unclean_restart", cause="killed", signature_state="detected")
    clean = [brief("3.3.2") for _day in range(4)]
    days: list[DaySummary] = [
        brief("3.3.1", confirmed()),
        brief("3.3.1", confirmed(), killed),
        brief("3.3.1, 3.3.2", exposed()),
        *clean,
    ]
    made = timeline_picture("a", {day(len(days) - place): one for place, one in enumerate(days)})
    assert [(one.ds, one.kind, one.said) for one in made.changes] == [
        (day(6), "restart", "a broker started without a controlled shutdown before"),
        (day(5), "roll", "3.3.1 to 3.3.1, 3.3.2, side by side"),
        (day(4), "upgrade", "3.3.1, 3.3.2 to 3.3.2, on all that were read"),
    ]
    first = made.rows[0]
    assert (first.key, first.outcome) == ("KAFKA-14334", "gone after the upgrade")
    assert [one.key for one in first.marks] == ["confirmed", "confirmed", *["clean"] * 5]
    assert [one.x for one in first.marks] == sorted({one.x for one in first.marks})
    assert made.changes[2].x == first.marks[3].x


def rolled(kind, *restarts):
    """A roll of a day: (broker, how it was stopped, the release that it came back with)."""
    about = {"from_release": "3.3.1", "last_seen": "", "process_start": "", "first_seen": "", "start_seconds": 9}
    about |= {"remaining_logs": 0}
    rows = [
        about | {"broker": broker, "stop": stop, "to_release": to, "in_sync": None, "away_seconds": 60}
        for broker, stop, to in restarts
    ]
    empty = {"under_min_isr": None, "errors": [], "reconnects": [], "rebalances": None, "groups_moved": None}
    rest = {"groups": [], "leadership": None, "symptoms": []}
    return RollReport.model_validate({"kind": kind, "begin": "", "end": "", "restarts": rows, **empty, **rest})


def test_rolls_that_sweeps_showed_are_told_and_those_of_older_days_are_read_off():
    days = {day(2): brief("3.3.1", confirmed()), day(1): brief("3.3.2", exposed()), day(0): brief("3.4.1")}
    both = [(broker, "controlled", "3.4.1") for broker in (1, 2)]
    shown = (rolled("restart", (1, "killed", "3.4.1")), rolled("upgrade", *both))
    made = timeline_picture("a", days, {day(2): (), day(1): None, day(0): shown})
    assert [(one.ds, one.kind, one.said) for one in made.changes] == [
        (day(1), "upgrade", "3.3.1 to 3.3.2, on all that were read"),
        (day(0), "restart", "1 broker restarted, 1 without a controlled shutdown"),
        (day(0), "upgrade", "2 brokers restarted to 3.4.1"),
    ]


def test_a_timeline_is_bounded_and_one_day_is_none():
    many = [finding(f"KAFKA-{number}", "exposed") for number in range(1000, 1040)]
    made = timeline_picture("a", {day(1): brief("3.3.1", *many), day(0): brief("3.3.1", *many, confirmed())})
    assert (len(made.rows), made.more) == (ROWS, 41 - ROWS)
    assert made.rows[0].key == "KAFKA-14334", "the worst first"
    assert timeline_picture("a", {DS: brief("3.3.1", confirmed())}) is None
    assert timeline_picture("a", {day(1): brief("3.3.1"), DS: brief("3.3.1")}) is None


def test_the_page_draws_it_and_says_it_in_words(tmp_path):
    for back, release in ((2, "3.3.1"), (1, "3.3.1"), (0, "3.3.2")):
        about = dossier("a", day(back), {"fetch_latency": "quiet" if back == 0 else "detected"})
        for one in about["coverage"]["brokers"][:2]:
            one["release"] = release
        publish_day(tmp_path, day(back), {"a": (about, [confirmed()] if back else [])}, letters=False)
    page = client(tmp_path).get("/clusters/a")
    assert f"upgrade 1, {DS} : 3.3.1 to 3.3.2, on all that were read" in text(page)
    assert page.text.count('<rect class="day confirmed"') == 2
    assert "KAFKA-14334 : quiet since the upgrade, too few days yet." in text(page)


def test_a_name_in_the_timeline_is_text():
    hostile = "<script>\u202e" + "x" * 400
    row = finding(None, "look_alike", signature_state="detected", **BUG | {"cause": hostile})
    made = timeline_picture("a", {day(1): brief(hostile, row), day(0): brief("3.3.1", row)})
    assert "\u202e" not in made.rows[0].key + made.rows[0].label + made.changes[0].said
    assert len(made.rows[0].key) < 200
