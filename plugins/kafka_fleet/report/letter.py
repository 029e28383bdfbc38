"""One letter, one fleet page: takes judged documents, gives finished HTML and text; touches no disk.

Equal inputs give equal bytes: no clock, no host name and no generation id goes into them.
"""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kafka_fleet.base.text import one_line
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.report.changes_section import ROOM
from kafka_fleet.report.decisions import Accepted
from kafka_fleet.report.fleet_page import build_fleet
from kafka_fleet.report.model import LEVELS, LetterView, build_letter
from kafka_fleet.report.templating import inlined, plain, render
from kafka_fleet.report.view_models import Limits

MAX_BYTES = 100_000  # Gmail is said to cut a mail's HTML at about 102 kB and to hide the rest


class LetterTooLarge(ValueError):
    """Even the shortest form of a letter is larger than mail clients show."""


class Letter(NamedTuple):
    """One cluster's letter of a day.

    html, text: the twins, with the same facts. subject: one line without control characters.
    digest: SHA-256 of the findings alone, so that new words or sweeps that change no finding are no new letter.
    """

    html: str
    text: str
    subject: str
    digest: str


def findings_digest(cluster: str, findings: Sequence[Finding]) -> str:
    """SHA-256 in hex of this cluster's findings, independent of their order."""
    own = sorted(json.dumps(f.plain(), sort_keys=True, ensure_ascii=True) for f in findings if f.cluster == cluster)
    return hashlib.sha256("\n".join(own).encode("ascii")).hexdigest()


def render_letter(
    report: ClusterReport,
    findings: Sequence[Finding],
    advisories: Mapping[str, Advisory],
    generation_label: str | None = None,
    knowledge: str | None = None,
) -> Letter:
    """The letter of one cluster, at most MAX_BYTES of HTML with the part that comes first when it is mailed: lists
    shorten until it fits, and say how many more.

    advisories: id -> texts. generation_label: printed when given,
    for hand experiments; published letters have none. knowledge: the pack that the day was judged by.
    Raises LetterTooLarge.
    """

    @cache
    def drawn(limits: Limits) -> tuple[LetterView, str, str]:
        view = build_letter(report, findings, advisories, limits)
        subject = one_line(f"Kafka {view.ds}: {view.headline}", 150)
        html = render("report.html.j2", v=view, subject=subject, label=generation_label, knowledge=knowledge)
        return view, subject, inlined(html)

    def fits(limits: Limits) -> bool:
        return len(drawn(limits)[2].encode("utf-8")) <= MAX_BYTES - ROOM

    # nearly every letter fits whole; of the others each level is shorter than the one before it
    level = 0 if fits(LEVELS[0]) else bisect_left(LEVELS, True, lo=1, key=fits)
    view, subject, html = drawn(LEVELS[min(level, len(LEVELS) - 1)])
    if level == len(LEVELS):
        raise LetterTooLarge(f"the letter of {view.cluster} has {len(html.encode()):,} bytes in its shortest form")
    text = plain("report.txt.j2", v=view, label=generation_label, knowledge=knowledge)
    return Letter(html, text, subject, findings_digest(report.cluster, findings))


def render_index(
    ds: str,
    reports: Mapping[str, ClusterReport],
    findings: Sequence[Finding],
    unwritten: Collection[str] = (),
    accepted: Accepted | None = None,
) -> str:
    """The fleet page of a day: every cluster in one row, with a relative link to its letter unless it has none.

    accepted: of decisions; None: acknowledgements were not looked at, which the page says.
    """
    return (
        render("fleet.html.j2", v=build_fleet(ds, list(reports.values()), findings, unwritten, accepted)).strip() + "\n"
    )
