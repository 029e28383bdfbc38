"""Letters on disk: one pointer flip, copies at the contract paths, stale letters gone, bad names refused."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.report.render import publish, read_day, write_letter
from kafka_fleet.store import generations
from support.builders.documents import of_finding
from support.builders.letter_rows import DS
from support.builders.letter_samples import payments, payments_findings, unreached, unreached_findings

FINDINGS = payments_findings() + unreached_findings()


def judged(home: Path, generation: str, dossiers: list[dict[str, Any]]) -> None:
    folder = home / f"findings/ds={DS}/{generation}"
    (folder / "clusters").mkdir(parents=True)
    (folder / "findings.json").write_text(json.dumps(FINDINGS), encoding="utf-8")
    for dossier in dossiers:
        (folder / f"clusters/{dossier['cluster']}.json").write_text(json.dumps(dossier), encoding="utf-8")


def test_publish_flips_the_pointer_copies_and_removes_stale_letters(tmp_path: Path) -> None:
    judged(tmp_path, "g0001", [payments(), unreached()])
    judged(tmp_path, "g0002", [payments()])
    reports = tmp_path / f"reports/ds={DS}"
    for cluster in ("payments-eu", "billing-us"):
        write_letter(tmp_path, DS, "g0001", cluster)
    publish(tmp_path, DS, "g0001")
    assert generations.current_generation(reports) == "g0001"
    assert {p.name for p in reports.glob("*.*") if p.is_file()} == {
        "_current.json",
        "index.html",
        *(f"{c}.{kind}" for c in ("payments-eu", "billing-us") for kind in ("html", "txt")),
    }
    before = (reports / "payments-eu.html").read_bytes()
    for _ in range(2):
        write_letter(tmp_path, DS, "g0002", "payments-eu")
        publish(tmp_path, DS, "g0002")
    assert generations.current_generation(reports) == "g0002"
    assert not (reports / "billing-us.html").exists()
    assert (reports / "payments-eu.html").read_bytes() == before
    assert (reports / "index.html").read_bytes() == (reports / "g0002/index.html").read_bytes()
    assert len(read_day(tmp_path, DS, "g0001").reports) == 2


def test_a_letter_that_could_not_be_written_is_red_on_the_page_and_holds_nobody_up(tmp_path: Path) -> None:
    judged(tmp_path, "g0001", [payments(), unreached()])
    with pytest.raises(FileNotFoundError, match="none of the 2 letters"):
        publish(tmp_path, DS, "g0001")
    write_letter(tmp_path, DS, "g0001", "billing-us")
    publish(tmp_path, DS, "g0001")
    page = (tmp_path / f"reports/ds={DS}/index.html").read_text(encoding="utf-8")
    assert "no letter" in page
    assert 'href="payments-eu.html"' not in page
    assert 'href="billing-us.html"' in page


@pytest.mark.parametrize("name", ["../x", "index", "a/b", "A", ""])
def test_a_name_that_is_no_cluster_writes_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a letter"):
        write_letter(tmp_path, DS, "g0001", name)
    assert list(tmp_path.iterdir()) == []


def test_what_is_acknowledged_needs_no_decision_on_the_stored_page_and_is_counted(tmp_path: Path) -> None:
    judged(tmp_path, "g0001", [payments()])
    write_letter(tmp_path, DS, "g0001", "payments-eu")
    row = {**next(one for one in payments_findings() if one["verdict"] == "confirmed"), "basis": []}
    brief = {"reached": True, "states": {}, "rows": [row]}
    (tmp_path / f"findings/ds={DS}/g0001/verdicts").mkdir()
    (tmp_path / f"findings/ds={DS}/g0001/verdicts/payments-eu.json").write_text(json.dumps(brief), encoding="utf-8")
    entry = of_finding(row, "payments-eu", DS, "Upgrade is planned.", "oncall@example.org", "2026-12-31")
    shown = []
    for known in (None, [], [entry], [entry], [entry.model_copy(update={"expires": date(2026, 1, 1)})]):
        publish(tmp_path, DS, "g0001", known)
        page = (tmp_path / f"reports/ds={DS}/index.html").read_text(encoding="utf-8")
        shown.append(page.split("Needs a decision today")[1].split("<h2")[0])
    unknown, none, accepted, again, expired = shown
    assert "knows neither the day before nor acknowledgements" in unknown
    assert "nobody had acknowledged them when this page was written" in none
    assert row["advisory"] in none
    assert row["advisory"] not in accepted
    assert "1 finding is acknowledged." in accepted
    assert accepted == again
    assert "Reopened:" in expired
