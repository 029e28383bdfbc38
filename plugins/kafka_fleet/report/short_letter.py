"""The mail's body: takes a cluster's day, gives HTML and text that are read in thirty seconds.

The HTML has no style element and no image, so it looks the same where a mail client strips the one and blocks the
other. It names neither colours of text nor of grounds but those that can be read on light and on dark.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.report.first_screen import build_screen
from kafka_fleet.report.letter import LetterTooLarge
from kafka_fleet.report.screen_model import BREVITIES, MOST_WORDS, FirstScreen, News
from kafka_fleet.report.templating import plain, render

MOST_BYTES = 30_000  # of HTML


class ShortLetter(NamedTuple):
    """The twins, with the same facts, and what they were drawn from."""

    html: str
    text: str
    screen: FirstScreen


def words_in(text: str) -> int:
    """Words as a reader counts them: pieces between blanks with a letter or a digit."""
    return sum(1 for piece in text.split() if any(sign.isalnum() for sign in piece))


def render_short(
    report: ClusterReport,
    findings: Sequence[Finding],
    advisories: Mapping[str, Advisory],
    news: News,
    subject: str,
    attachment: str | None,
) -> ShortLetter:
    """The short letter with at most MOST_WORDS and MOST_BYTES: it says less until it fits.

    attachment: file name of the full report; None: nothing is attached. Raises LetterTooLarge.
    """
    for brief in BREVITIES:
        screen = build_screen(report, findings, advisories, news, brief)
        text = plain("short_letter.txt.j2", v=screen, attachment=attachment)
        html = render("short_letter.html.j2", v=screen, subject=subject, attachment=attachment).strip() + "\n"
        if words_in(text) <= MOST_WORDS[screen.kind] and len(html.encode("utf-8")) <= MOST_BYTES:
            return ShortLetter(html, text, screen)
    raise LetterTooLarge(f"the letter of {report.cluster} has {words_in(text)} words in its shortest form")
