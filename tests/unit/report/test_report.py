"""The letter and the fleet page: golden files, every fact in both twins, and equal bytes from equal inputs."""

import copy
import html
import os
import re
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report import formatting
from support.builders.documents import render_index, render_letter
from support.builders.letter_rows import DS, finding
from support.builders.letter_samples import ADVISORIES, payments, payments_findings, unreached, unreached_findings

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
FINDINGS = payments_findings() + unreached_findings()


def letter(dossier: dict[str, Any] | None = None, findings: list[dict[str, Any]] | None = None) -> Any:
    return render_letter(dossier or payments(), FINDINGS if findings is None else findings, ADVISORIES)


def bare(text: str) -> str:
    """What a reader reads of a page or text: no markup, no line structure."""
    text = re.sub(r"<style.*?</style>|<[^>]+>", " ", text, flags=re.S)
    return re.sub(r"[\s-]+", "", html.unescape(text)).lower()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("payments-eu.html", lambda: letter().html),
        ("payments-eu.txt", lambda: letter().text),
        ("billing-us.html", lambda: letter(unreached()).html),
        ("billing-us.txt", lambda: letter(unreached()).text),
        ("index.html", lambda: render_index(DS, {d["cluster"]: d for d in (payments(), unreached())}, FINDINGS)),
    ],
)
def test_golden(name: str, content: Any) -> None:
    """UPDATE_GOLDEN=1 rewrites the files; look at the difference before committing it."""
    if os.environ.get("UPDATE_GOLDEN") == "1":
        (GOLDEN / name).write_text(content(), encoding="utf-8")
    assert content() == (GOLDEN / name).read_text(encoding="utf-8")


def facts() -> list[str]:
    """Every fact of the sample's dossier, findings and texts that a letter must state, as a reader would see it."""
    d, c = payments(), payments()["coverage"]
    found = [d["cluster"], d["environment"], *d["owners"], *d["bootstrap_servers"], d["kafka_cluster_id"], d["mode"]]
    found += ["144 sweeps", "00:00:10", "23:50:10", "143 answered", "1 failed", *c["admin"]["failures"]]
    for b in c["brokers"]:
        found += [f"broker {b['broker']}", b["host"], b["release"] or "release not read", *b["failures"], *b["missing"]]
        found += [f"rack {b['rack']}"] if b["rack"] else []
        found += [f"{b[kind]} {kind}" for kind in ("ok", "partial", "truncated", "failed") if b[kind]]
    found += ["2 intervals", c["dropped_intervals"][0]["reason"], *c["not_measured"]]
    for client in d["clients"]:
        found += [client["software"], client["version"], client["listener"], formatting.number(client["connections"])]
    for s in d["signatures"]:
        found += [s["title"], *s["missing"], s["signature"], s["state"].replace("_", " ")]
        for t in s["thresholds"]:
            found += [f"{t['name']} {formatting.number(t['value'])} {t['unit']}", t["reason"]]
        for advice in s.get("advice", []):
            if not advice["causes"] or {one["cause"] for one in s["detections"]} & set(advice["causes"]):
                found += [advice["text"], *([advice["command"]] if advice["command"] else [])]
        for row in (s.get("rows") or {"rows": []})["rows"]:
            found += [cell for cell in row if cell]
        if s["state"] == "detected":
            found += [s["remeasure"], *(x for look in s["look_alikes"] for x in look.values())]
        found += [chart["title"] for chart in s["charts"]]
    for key in ("now", "next"):
        step = d["plan"][key]
        found += [f"{key}: {step['component']} to {step['release']}", step["why"], *step["steps"]]
        found += step["closes"] + step["leaves"] + step["opens"]
    found += ["set by the fleet file", "Clients must be 2.1 or later"]
    for f in payments_findings():
        if f["verdict"] != "not_affected":
            found += [f["advisory"] or "", f["severity"], f["upgrade_to"] or "", f["cause"] or "", *f["missing"]]
            found += [subject.partition(" ")[2] for subject in f["subjects"]]
            found += [e["metric"] for e in f["evidence"]] + [e["mbean"] or e["where"] for e in f["evidence"]]
    found += [
        "45 %",
        "threshold 30 %",
        "412 ms",
        "threshold 300 ms",
        "391",
        "lower 391, upper 462",
        "10:00 to 10:10 UTC",
    ]
    found += ["highest 46 % at 10:40 UTC", "37 of 144 windows", "a healthy broker would show 2 %"]
    text = ADVISORIES["KAFKA-14334"]
    found += [text.title, text.summary, text.mechanism, text.why_upgrade, "commit 1a2b3c"]
    return [fact for fact in found if fact]


@pytest.mark.parametrize("twin", ["html", "text"])
def test_every_fact_is_in_both_twins(twin: str) -> None:
    read = bare(getattr(letter(), twin))
    assert [fact for fact in facts() if bare(fact) not in read] == []
    assert len(facts()) > 100


@pytest.mark.parametrize("twin", ["html", "text"])
def test_verdict_first_then_upgrade_then_findings(twin: str) -> None:
    read = bare(getattr(letter(), twin).split("</head>")[-1])
    order = ["payments-eu has 1 known bug, is exposed to 2 more and shows 1 look-alike.", "Now: broker to 3.3.2"]
    order += ["KAFKA-14334", "Records skipped on added", "Exposed by release and configuration", "CVE-2026-33557 F"]
    order += ["KAFKA-17076 L", "Could not be decided", "symptom looked for", "What could not be measured"]
    order += ["How it was measured", "Thresholds used", "What the words mean"]
    places = [read.find(bare(part)) for part in order]
    assert -1 not in places
    assert places == sorted(places)


def test_text_lines_fit_78_columns_except_the_request_to_copy() -> None:
    for line in letter().text.splitlines() + letter(unreached()).text.splitlines():
        assert len(line) <= 78 or line.lstrip().startswith("$ ") or re.fullmatch(r" +[\w.]+:type=\S+", line), line


def test_unreached_cluster_says_so_first_in_red_and_claims_nothing_healthy() -> None:
    made = letter(unreached())
    first = re.search(r"<h1[^>]*>(.*?)</h1>", made.html)
    assert first is not None
    assert "never reached" in first[1]
    assert "#b42318" in first[0]
    assert made.text.startswith("billing-us was never reached")
    for claim in ("shows no known bug", "Quiet", "Everything that was asked for was answered"):
        assert claim not in made.html + made.text


def test_a_cluster_whose_every_request_failed_was_not_reached() -> None:
    dossier = payments()
    for b in dossier["coverage"]["brokers"]:
        b |= {"ok": 0, "partial": 0, "failed": 144, "failures": ["refused"]}
    dossier["coverage"]["admin"] = {"ok": 0, "failed": 144, "failures": ["timed out"]}
    assert "never reached" in letter(dossier).subject
    assert "144 sweeps tried" in letter(dossier).text


def test_unfinished_day_and_late_start_are_said() -> None:
    dossier = payments()
    dossier["coverage"] |= {"first_sweep": f"{DS}T09:00:00Z", "last_sweep": f"{DS}T14:20:00Z"}
    text = " ".join(letter(dossier).text.split())
    assert "This day is not complete: the last sweep was at 14:20 UTC" in text
    assert "Measuring began at 09:00 UTC" in text
    assert "not complete" not in letter().text


def test_invalid_fleet_entry_is_the_headline() -> None:
    dossier = unreached() | {"declaration_error": "jolokia: needs brokers (id: URL) or url_template"}
    made = letter(dossier)
    assert "its entry in the fleet file is not valid" in made.subject
    assert "needs brokers (id: URL) or url_template" in made.html


@pytest.mark.parametrize(
    ("rows", "headline"),
    [
        ([finding("KAFKA-17076", "exposed")], "payments-eu is exposed to 1 known bug."),
        (
            [finding("KAFKA-17076", "not_affected")],
            "payments-eu shows no known bug in what could be measured; 1",
        ),
        ([finding(a, "confirmed") for a in ("KAFKA-14334", "KAFKA-10888")], "payments-eu has 2 known bugs."),
    ],
)
def test_headline_counts(rows: list[dict[str, Any]], headline: str) -> None:
    assert letter(findings=rows).text.startswith(headline)


def test_look_alike_wording_follows_the_exposure() -> None:
    more: dict[str, Any] = {"signature": "fetch_latency", "cause": "follower", "strength": "conclusive"}
    for exposure, sentence in (("unknown", "may well have the bug"), ("not_exposed", "this release has the fix")):
        text = letter(findings=[finding("KAFKA-14334", "look_alike", exposure=exposure, **more)]).text
        assert sentence in " ".join(text.split())
    null = letter(findings=[finding(None, "look_alike", exposure=None, **more)]).text
    assert "KAFKA-14334: Fetches on a follower" in null  # rival causes are named


def test_equal_inputs_give_equal_bytes_and_the_digest_follows_findings_only() -> None:
    again = letter(copy.deepcopy(payments()), list(reversed(copy.deepcopy(FINDINGS))))
    assert again == letter()
    wider = payments()
    wider["coverage"]["sweeps"] = 145
    assert letter(wider).digest == letter().digest
    assert letter(findings=FINDINGS[1:]).digest != letter().digest


def test_advisory_catalogue_can_be_quoted() -> None:
    known = load_advisories()
    rows = [finding(name, "exposed", severity=a.severity, components=list(a.components)) for name, a in known.items()]
    made = render_letter(payments(), rows, known)
    assert all(name in made.html and name in made.text for name in known)


def test_mail_safe_markup() -> None:
    page = letter().html
    for forbidden in ("<img", "<script", "<link", "url(", "@import", "<svg", "position:"):
        assert forbidden not in page
    assert '<html lang="en">' in page
    assert 'scope="row"' in page
    assert "prefers-color-scheme: dark" in page
    assert re.search(r"max-width: ?640px", page)
