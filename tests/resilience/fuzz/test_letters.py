"""Topic, group and client names that a cluster makes up, in the letter: HTML, text, CSV, subject, mail."""

import csv
import io
import re
from collections.abc import Callable
from email import message_from_bytes, policy
from random import Random
from typing import Any

import pytest

from kafka_fleet.documents.outbox import Mail
from kafka_fleet.mail.mime import compose
from kafka_fleet.report.screen_model import MOST_WORDS
from kafka_fleet.report.short_letter import MOST_BYTES, words_in
from support.browser.acting_html import ActingHtml
from support.builders.documents import attachments, render_letter, render_short
from support.builders.letter_samples import ADVISORIES, payments, payments_findings
from support.generators.fuzz_inputs import ODD, mutated, randoms

SEEDS = [
    b"orders",
    b"<img src=x onerror=alert(1)>",
    b"{{7*7}}{% for %}",
    b"javascript:alert(1)",
    b'"><svg/onload=1>',
    b"</style>",
]
SEEDS += [
    b"=cmd|' /C calc'!A0",
    b"x\r\nBcc: all@example.org",
    b"&lt;script&gt;",
    b"<!--",
    b"]]>",
    "\u202e\u200b".encode(),
]
FIXED = {
    "ds",
    "cluster",
    "state",
    "from",
    "to",
    "verdict",
    "first_sweep",
    "last_sweep",
    "advisory",
    "severity",
    "cause",
}
FIXED |= {"environment", "unit", "signature", "signature_state", "exposure", "strength", "title", "mbean", "points"}


FIGURE = re.compile(r"-?[0-9.]+([eE][+-]?[0-9]+)?")


def poisoned(random: Random, value: Any) -> Any:
    """The document with names of a cluster's making in its free text."""
    if isinstance(value, dict):
        return {key: one if key in FIXED else poisoned(random, one) for key, one in value.items()}
    if isinstance(value, list):
        return [poisoned(random, one) for one in value]
    if not isinstance(value, str) or random.random() < 0.5:
        return value
    name = random.choice((mutated(random, random.choice(SEEDS), SEEDS).decode("utf-8", "replace"), random.choice(ODD)))
    return f"topic {name}" if random.random() < 0.3 else name


@pytest.mark.fault(53, 54, 55, 57)
def test_no_name_acts_in_a_letter_its_subject_its_mail_or_its_tables(counted: Callable[[], None]) -> None:
    clean = ActingHtml(render_letter(payments(), payments_findings(), ADVISORIES).html).tags
    for number, random in randoms(6):
        dossier, findings = poisoned(random, payments()), poisoned(random, payments_findings())
        made = render_letter(dossier, findings, ADVISORIES)
        page = ActingHtml(made.html)
        assert page.tags <= clean, f"input {number}"
        assert page.acting == [], f"input {number}"
        assert "alert(1)" not in "".join(re.findall(r"<[^>]*>", made.html)), f"input {number}"
        hidden = {"\r", "\x00", "\x1b", "\u202e", "\u200b", "\ud800"}
        assert not hidden & set(made.html + made.text + made.subject), f"input {number}"
        assert made.subject.isprintable()
        assert len(made.subject) < 300
        for text in attachments(dossier, findings).values():
            for row in csv.reader(io.StringIO(text)):
                for cell in (one for one in row if not FIGURE.fullmatch(one)):
                    assert not re.match(r"[=+@\t\r\n\uff1d\uff0b\uff0d\uff20]|-", cell), f"input {number}: {cell!r}"
        head = ("d" * 64, "f" * 64, "<1@example.org>", "Fri, 20 Nov 2026 00:00:00 +0000", "a@example.org", made.subject)
        mail = Mail(*head, made.html, made.text, attachments=attachments(dossier, findings))
        sent = message_from_bytes(compose(mail, "payments-eu"), policy=policy.default)
        assert sent.get_all("Subject") == [made.subject], f"input {number}"
        assert sent["Bcc"] is None
        counted()


def test_no_name_acts_in_a_short_letter_or_makes_it_long(counted: Callable[[], None]) -> None:
    page = "https://airflow.example.org/fleet-health"
    clean = ActingHtml(render_short(payments(), payments_findings(), page=page)[1].html).tags
    for number, random in randoms(6):
        dossier, findings = poisoned(random, payments()), poisoned(random, payments_findings())
        subject, made = render_short(dossier, findings, "2026-11-19", {}, page=page)
        shown = ActingHtml(made.html)
        assert shown.tags <= clean, f"input {number}"
        assert shown.acting == [], f"input {number}"
        assert "alert(1)" not in "".join(re.findall(r"<[^>]*>", made.html)), f"input {number}"
        hidden = {"\r", "\x00", "\x1b", "\u202e", "\u200b", "\ud800"}
        assert not hidden & set(made.html + made.text + subject), f"input {number}"
        assert words_in(made.text) <= MOST_WORDS["confirmed"], f"input {number}"
        assert len(made.html.encode()) <= MOST_BYTES, f"input {number}"
        assert subject.isprintable()
        assert len(subject) <= 150
        counted()
