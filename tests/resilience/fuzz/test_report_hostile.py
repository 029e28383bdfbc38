"""Letters against hostile names and endless lists: shown literally, safe, and never larger than a mail client shows."""

import html
import re
from typing import Any

import pytest

from kafka_fleet.report.letter import MAX_BYTES, Letter
from kafka_fleet.report.sanitize import displayed, visible
from support.browser.acting_html import ActingHtml
from support.builders.documents import render_index, render_letter
from support.builders.letter_rows import DS, broker, day_chart, evidence, finding, signature
from support.builders.letter_samples import ADVISORIES, payments, payments_findings, unreached

SCRIPT = "<script>alert(1)</script>"
LONG = ("&" * 2_000, "\u202e" * 2_000, "\u6771" * 2_000)
# no script, no frame, nothing from anywhere, no form; only the rules in the page itself
POLICY = """<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src \
'unsafe-inline'; base-uri 'none'; form-action 'none'">
"""
HOSTILE = [
    SCRIPT,
    "javascript:alert(3)",
    "{{7*7}}{% raw %}",
    'x" onload="alert(2)',
    "line\r\nBcc: all@example.org",
    "abc\u202egnp.exe\u200b",
    "</style></title><b>",
    "e" + "\u0301" * 50,
]


def guarded(page: str) -> bool:
    """Whether the policy stands once, before any text of a cluster: after the rules for small screens at most."""
    before, policy, after = page.partition(POLICY)
    return bool(policy) and ActingHtml(before).tags <= {"html", "head", "style"} and "http-equiv" not in after


def poisoned(value: Any, poison: str) -> Any:
    """The document with the poison in every string that is free text."""
    fixed = {"ds", "cluster", "state", "from", "to", "verdict", "first_sweep", "last_sweep", "advisory", "severity"}
    fixed |= {"environment", "unit", "signature", "signature_state", "exposure", "strength"}
    if isinstance(value, dict):
        return {k: v if k in fixed else poisoned(v, poison) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(v, poison) for v in value]
    return f"{value} {poison}" if isinstance(value, str) else value


@pytest.mark.fault(53)
@pytest.mark.parametrize("poison", HOSTILE)
def test_hostile_text_is_shown_literally_and_does_nothing(poison: str) -> None:
    clean = render_letter(payments(), payments_findings(), ADVISORIES)
    made = render_letter(poisoned(payments(), poison), poisoned(payments_findings(), poison), ADVISORIES)
    tags = ActingHtml(made.html)
    assert tags.tags <= ActingHtml(clean.html).tags
    assert tags.acting == []
    assert guarded(made.html)
    assert guarded(clean.html)
    literal = re.sub(r"\s+", "", visible(poison))
    assert literal in re.sub(r"\s+", "", html.unescape(re.sub(r"<[^>]+>", "", made.html.split("</head>")[1])))
    assert literal in re.sub(r"\s+", "", made.text)
    assert "49" not in made.subject
    assert not set("\r\u202e\u200b") & set(made.html + made.text + made.subject)
    assert "\n" not in made.subject


@pytest.mark.fault(53)
def test_hostile_text_is_literal_on_the_fleet_page() -> None:
    dossier = unreached() | {"declaration_error": f"id: {SCRIPT}\u202e"}
    page = render_index(DS, {"billing-us": dossier}, [])
    assert "&lt;script&gt;alert(1)" in page
    assert "script" not in ActingHtml(page).tags
    assert guarded(page)
    assert "\u202e" not in page


@pytest.mark.fault(54)
def test_subject_is_one_line_of_bounded_length() -> None:
    dossier = payments() | {"cluster": "x\r\nBcc: y@example.org" + "z" * 500}
    subject = render_letter(dossier, [], ADVISORIES).subject
    assert len(subject) <= 150
    assert not set("\r\n") & set(subject)


def test_long_names_keep_head_tail_and_length() -> None:
    name = "a" * 10_000 + "z"
    short = displayed(name, 120)
    assert len(short) < 200
    assert short.startswith("aaa")
    assert "z (10,001 characters)" in short


def crowded(count: int, name: str) -> Letter:
    """A letter with `count` of everything, each called `name` and a number."""
    subjects = [f"topic {i}{name}" for i in range(count)]
    chart = day_chart([0.1 * (i % 9) for i in range(144)])
    rows = []
    for i in range(count):
        verdict = ("confirmed", "look_alike", "exposed", "unknown")[i % 4]
        rows.append(
            finding(
                f"KAFKA-{10000 + i}",
                verdict,
                signature=f"s{i}",
                cause="follower",
                strength="conclusive",
                subjects=subjects if i % 10 == 0 else subjects[:20],
                missing=[f"{name} {j}" for j in range(20)],
                workaround=name,
                evidence=[evidence(0.4 + j / 1e4, metric=name, mbean=name, where=name) for j in range(i % 40)],
                severity=("critical", "high", "medium", "low", "info")[i % 5],
            )
        )
    look_alikes = [{"name": name, "separated_by": name}] * count
    thresholds = [{"name": name, "value": 1, "unit": "x", "reason": name, "overridden": True}] * 30
    made: dict[str, Any] = {
        "look_alikes": look_alikes,
        "thresholds": thresholds,
        "charts": [chart | {"title": name}] * 9,
    }
    dossier = payments()
    dossier["signatures"] = [
        signature(f"s{i}", f"{i}{name}", "detected", missing=[name] * 3, remeasure=f"curl {name}", **made)
        for i in range(count)
    ]
    dossier["coverage"]["brokers"] = [broker(i, host=name, missing=[name] * 9) for i in range(count)]
    dossier["coverage"]["not_measured"] = [f"{i} {name}" for i in range(count)]
    dossier["clients"] = [
        {"software": name, "version": f"{i}", "listener": name, "connections": i} for i in range(count)
    ]
    dossier["owners"] = [f"{name}@example.org"] * 20
    dossier["bootstrap_servers"] = [name] * 50
    for step in dossier["plan"].values():
        step |= {key: [f"{key} {i} {name}" for i in range(count)] for key in ("closes", "leaves", "opens", "steps")}
        step["why"] = name
    return render_letter(dossier, rows, ADVISORIES)


@pytest.mark.sampled("letters-of-any-names")
@pytest.mark.fault(38)
@pytest.mark.parametrize(
    "name",
    [
        SCRIPT * 80,
        *(pytest.param(one, marks=pytest.mark.sampled("hostile-letters")) for one in ("orders", *LONG)),
    ],
)
def test_200_findings_with_any_names_stay_below_what_mail_clients_cut(name: str) -> None:
    made = crowded(200, name)
    assert len(made.html.encode()) <= MAX_BYTES
    assert "has 50 known bugs, is exposed to 50 more" in made.html
    assert re.search(r"and \d[\d,]* more", made.html)
    assert re.search(r"and\s+\d[\d,]*\s+more", made.text)
    assert "KAFKA-10000" in made.text


@pytest.mark.fault(38)
def test_fleet_page_of_a_thousand_clusters_has_a_row_for_each() -> None:
    dossiers = {f"c-{i:04}": payments() | {"cluster": f"c-{i:04}"} for i in range(999)} | {"billing-us": unreached()}
    rows = [finding("KAFKA-14334", "confirmed", f"c-{i:04}") for i in range(0, 999, 100)]
    page = render_index(DS, dossiers, rows)
    table = page[page.index('<h2 id="clusters">') :]
    links = re.findall(r'href="([^"]+)"', table)
    assert sorted(links) == sorted(f"{name}.html" for name in dossiers)
    assert links[0] == "billing-us.html"
    assert links[1] == "c-0000.html"
    assert "1,000 clusters: 10 have a confirmed bug, 1 was not measured" in page
