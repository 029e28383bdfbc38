"""What is said of a cluster that a day is judged without, and of one that answered in part: letter, mail, pages."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from fleet_spark.cluster_report import Case, cluster_report
from kafka_fleet.cli import commands
from kafka_fleet.cli.main import main
from kafka_fleet.documents.day_summaries import read_day_summary
from kafka_fleet.documents.timeline import timelines
from kafka_fleet.knowledge.facts import ClusterFacts, Declared
from kafka_fleet.mail.dispatch import mail_letter
from kafka_fleet.page.fleet import Filter, build
from kafka_fleet.report.changes import NOT_JUDGED
from kafka_fleet.store.excluded_clusters import note_set_aside
from support.builders.documents import compare, day_summary, render_index, render_letter, report, summary, told_of
from support.builders.letter_rows import DS, finding
from support.builders.letter_samples import ADVISORIES, payments
from support.builders.mailed_days import OWNERS, part, subjects
from support.builders.published_days import confirmed, day, exposed, publish_day
from support.builders.published_days import dossier as sample
from support.homes.recorded import recorded_day, write_home
from support.servers.mail_server import Mailbox, mail_server, plain

WHY = "Not judged on this day: its measurements made the query `intervals` fail (CAST_OVERFLOW)."
STATES = dict.fromkeys(("fetch_latency", "isr_stagnation"), "not_evaluated")
NO_PLAN = {"now": None, "next": None, "clients": None, "candidates": {"server": [], "client": []}, "note": None}
FIRST, LAST = datetime(2026, 11, 20, 0, 0, 10), datetime(2026, 11, 20, 23, 50, 10)
Json = dict[str, Any]


def aside(ds: str = DS) -> Json:
    """The sample cluster, which answered as ever, on a day that is judged without it."""
    made = sample(
        "payments-eu", ds, dict.fromkeys([one["signature"] for one in sample("a", ds)["signatures"]], "not_evaluated")
    )
    coverage = {**made["coverage"], "not_measured": [WHY], "dropped_intervals": []}
    return {**made, "reached": True, "set_aside": WHY, "coverage": coverage, "plan": NO_PLAN}


def unknown() -> Json:
    return exposed("not_evaluated") | {"verdict": "unknown", "exposure": "unknown", "missing": [WHY], "cause": None}


def in_one_line(text: str) -> str:
    return " ".join(text.replace("! ", "").split())


@pytest.mark.fault(65)
def test_its_letter_says_why_and_what_can_be_done_and_that_nothing_is_known_to_be_healthy() -> None:
    letter = render_letter(aside(), [unknown()], ADVISORIES)
    for told in (in_one_line(letter.text), letter.html):
        assert "payments-eu was not judged: its measurements made a query fail, and nothing is known to be" in told
        assert "CAST_OVERFLOW" in told
        assert "never reached" not in told
    told = in_one_line(letter.text)
    assert f"{WHY} Look for a value that no healthy cluster gives" in told
    assert "can judge this day again" in told
    assert "No part of this cluster is claimed to be healthy." in told
    assert "No upgrade is proposed: the cluster was not judged on this day." in told
    assert "144 sweeps" in told
    assert told.count("CAST_OVERFLOW") == 3, "on top, with the findings, and with what could not be measured"


def test_the_fleet_page_counts_it_by_itself_and_shows_why() -> None:
    other = sample("archive-eu", DS)
    page = render_index(DS, {"payments-eu": aside(), "archive-eu": other}, [unknown() | {"cluster": "payments-eu"}])
    assert "1 was not judged" in page
    assert "not measured" not in page
    assert "CAST_OVERFLOW" in page


def test_the_page_has_it_first_and_not_as_unmeasured() -> None:
    rows = {
        "payments-eu": summary(aside(), day_summary([unknown()], STATES, True, {})),
        "archive-eu": summary(sample("archive-eu", DS), day_summary([confirmed()], STATES, True, {})),
    }
    screen = build(DS, [DS], lambda _ds: rows, Filter())
    assert [one.cluster for one in screen.rows] == ["payments-eu", "archive-eu"]
    assert screen.rows[0].problem == WHY
    assert screen.headline == "2 clusters: 1 has a confirmed bug, 1 was not judged"
    assert [one.cluster for one in build(DS, [DS], lambda _ds: rows, Filter(verdict="not_measured")).rows] == [
        "payments-eu"
    ]


@pytest.mark.fault(65)
def test_nothing_is_told_as_resolved_because_of_it() -> None:
    old = [
        confirmed(),
        finding("CVE-1", "exposed"),
        finding(None, "look_alike", signature="isr_stagnation", cause="frozen"),
    ]
    found = compare(told_of(old), [unknown()], day(1), True, lambda *_: 9, None, True)
    assert [(one.kind, one.key) for one in found.changes] == [("new", NOT_JUDGED)]
    assert {key for key, row in found.told.items() if row.unseen} == set(told_of(old))
    back = compare(found.told, old, DS, True, lambda *_: 9)
    assert [(one.kind, one.key) for one in back.changes] == [("better", NOT_JUDGED)]


@pytest.mark.fault(65)
def test_its_mail_says_so_in_the_subject_and_the_days_in_a_row_know_of_no_end(tmp_path: Path) -> None:
    publish_day(tmp_path, day(1), {"payments-eu": (sample("payments-eu", day(1)), [confirmed()])})
    publish_day(tmp_path, DS, {"payments-eu": (aside(), [unknown()])})
    box = Mailbox()
    with mail_server(box) as port:
        for ds in (day(1), DS):
            mail_letter(tmp_path, ds, "payments-eu", OWNERS, plain(port))
    assert subjects(box)[-1] == "payments-eu: not judged, its measurements made a query fail"
    text = in_one_line(part(box.received[-1][1], "plain"))
    assert "All that was told before stands as it was told." in text
    assert "Resolved" not in text
    briefs = {ds: found for ds in (day(1), DS) if (found := read_day_summary(tmp_path, ds, "payments-eu"))}
    (line,) = timelines("payments-eu", briefs)
    assert [one.state for one in line.days] == ["fired", "unseen"]


def partly(**counts: int) -> Json:
    """The dossier of a cluster whose agents are down, as the judge writes it. counts: of its sweeps, by outcome."""
    about = {
        "admin_ok": 0, "admin_partial": 0, "admin_failed": 0, "admin_details": ["topics: TimeoutError"],
        "sweep_count": 3, "first_sweep": FIRST, "last_sweep": LAST, "kafka_cluster_id": None, **counts,
    }  # fmt: skip
    row = {
        "broker": 1, "advertised_host": "b1", "rack": None, "kafka_release": None, "ok_reads": 0, "partial_reads": 0,
        "truncated_reads": 0, "failed_reads": 3, "failure_kinds": ["refused"], "failure_details": [],
        "missing_mbeans": None, "replica_count": None, "jolokia_url": None,
    }  # fmt: skip
    case = Case("payments-eu", {"environment": "production"}, Declared(), ClusterFacts(()), about, [row], [], [])
    return cluster_report(DS, case, {}, {}, {}, NO_PLAN, []).plain()


@pytest.mark.fault(67)
def test_a_cluster_of_which_only_the_admin_protocol_answered_in_part_is_reached_everywhere() -> None:
    made = partly(admin_partial=3)
    assert (made["reached"], report(made).reached, report(made).judged) == (True, True, True)
    letter = render_letter(made, [], ADVISORIES)
    told = in_one_line(letter.text)
    assert "never reached" not in told
    assert "Nothing was measured" not in told
    assert "The Kafka protocol answered in no sweep as a whole, and in part in 3 sweeps (topics: TimeoutError)." in told
    assert "Broker 1 gave no measurement in any sweep (refused)." in told
    page = render_index(DS, {"payments-eu": made}, [])
    assert "never reached" not in page
    assert "not measured" not in page


def test_a_cluster_that_gave_no_answer_is_not_reached() -> None:
    made = partly(admin_failed=3)
    assert (made["reached"], report(made).reached, report(made).judged) == (False, False, False)
    assert "was never reached" in render_letter(made, [], ADVISORIES).text
    assert "gave no answer in any sweep" in in_one_line(render_letter(made, [], ADVISORIES).text)


def test_what_counts_an_answer_in_part_and_does_not_say_whether_it_was_reached_was_reached() -> None:
    made = partly(admin_partial=1)
    del made["reached"]
    assert report(made).reached
    del made["coverage"]["admin"]["partial"]
    assert not report(made).reached


@pytest.mark.parametrize(("ok", "answered"), [(0, False), (1, True)])
def test_documents_of_earlier_versions_are_read_by_what_they_count(ok: int, answered: bool) -> None:
    older = payments()
    assert "reached" not in older
    brokers = [{**one, "ok": 0, "partial": 0, "truncated": 0} for one in older["coverage"]["brokers"]]
    older["coverage"] = {**older["coverage"], "brokers": brokers, "admin": {"ok": ok, "failed": 144, "failures": []}}
    assert report(older).reached is answered
    assert f"{ok} answered, 144 failed" in in_one_line(render_letter(older, [], ADVISORIES).text)


def test_analyze_prints_it_and_ends_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_home(tmp_path, ["idle331"])

    def submit(arguments: list[str], _rows: int) -> int:
        generation = arguments[arguments.index("--generation") + 1]
        note_set_aside(tmp_path, recorded_day(), generation, "facts", {"idle331": WHY})
        return 0

    monkeypatch.setattr(commands, "submit", submit)
    assert main(["analyze", "--home", str(tmp_path), "--date", recorded_day()]) == 0
    assert capsys.readouterr().out == f"idle331: {WHY}\n"
