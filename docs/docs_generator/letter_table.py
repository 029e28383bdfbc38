"""The letters of recorded days: takes days.yaml and the letters in tests/golden/letters, gives a table."""

import re
from functools import cache
from typing import Any, NamedTuple

import yaml

from docs_generator import ROOT
from docs_generator.markdown import escape, table
from kafka_fleet.report.short_letter import words_in

DAYS, LETTERS = "tests/data/days/days.yaml", "tests/golden/letters"


class Told(NamedTuple):
    """A recorded day: what it is a day of, what was done to the brokers, and what its reader should do.

    verdict: of what was found. looks_like: what it could be taken for, and is not; None of a day that is what it is.
    """

    cluster: str
    signature: str | None
    happened: str
    reader: str
    finding: str | None
    verdict: str
    looks_like: str | None

    @property
    def shows(self) -> str:
        """What it shows, in words."""
        measured = "no known bug" if self.finding else "not reached" if self.verdict == "unknown" else "quiet"
        own = f"confirmed {self.finding}" if self.verdict == "confirmed" else measured
        return f"{own}; looks like {self.looks_like}" if self.looks_like else own


@cache
def told_days() -> list[Told]:
    """Every recorded day, in the order of the file."""
    content: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / DAYS).read_text(encoding="utf-8"))
    return [Told(cluster, **{"looks_like": None, **one}) for cluster, one in content.items()]


def _row(one: Told) -> list[str]:
    text = (ROOT / f"{LETTERS}/{one.cluster}.txt").read_text(encoding="utf-8")
    subject, _, body = text.partition("\n\n")
    news = re.sub(rf"^Subject: {re.escape(one.cluster)}: ", "", subject)
    letter = f"[{one.cluster}](../{LETTERS}/{one.cluster}.txt)"
    day = f"[{one.signature}](signatures/{one.signature}.md)" if one.signature else "no symptom"
    return [
        f"{letter}, {day}",
        escape(one.happened),
        escape(one.shows),
        escape(news),
        str(words_in(body)),
        escape(one.reader),
    ]


def letter_table() -> str:
    """One row per day: what happened, what it is, the letter's subject and words, what its reader should do."""
    head = [
        "Letter and symptom",
        "What happened to the brokers",
        "It is",
        "Subject",
        "Words",
        "What its reader should do",
    ]
    return table(head, map(_row, told_days()))
