"""From letter to mail: takes a home, a day and a cluster, hands the letter that was written to the outbox."""

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

from kafka_fleet.report.letter import findings_digest
from kafka_fleet.report.mail import DeliveryResult, deliver
from kafka_fleet.report.smtp_settings import SmtpSettings
from kafka_fleet.store.generations import current, day


class LetterError(RuntimeError):
    """There is no letter to mail, or nobody to mail it to; one sentence."""


class _Title(HTMLParser):
    """Collects the text of the first <title>, entities decoded."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self._inside, self._done = "", False, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "title" and not self._done

    def handle_endtag(self, tag: str) -> None:
        self._done |= self._inside and tag == "title"
        self._inside = self._inside and tag != "title"

    def handle_data(self, data: str) -> None:
        self.text += data if self._inside else ""


def subject_of(html: str) -> str:
    """The subject of a letter is the title of its HTML twin, so that the files alone are enough to mail it."""
    parser = _Title()
    parser.feed(html)
    return " ".join(parser.text.split())


def mail_letter(
    home: Path,
    ds: str,
    cluster: str,
    owners: Sequence[str] | None,
    smtp: SmtpSettings | None,
    dry_run: bool = False,
    generation: str | None = None,
) -> DeliveryResult:
    """Mail one cluster's letter of day `ds` to the owners who do not have it. Raises LetterError, OutboxError.

    `owners` are those of the fleet file as it is now; None when the cluster is no valid entry of it any more.
    `generation` is the one that readers follow unless it is given.
    """
    if not owners:
        raise LetterError(f"{cluster} is no valid entry of the fleet file, so its owners are not known")
    generation = generation or current(home / f"reports/ds={day(ds)}")
    if generation is None:
        raise LetterError(f"nothing is published for {ds}; write the report first")
    letter, findings = home / f"reports/ds={ds}/{generation}", home / f"findings/ds={ds}/{generation}/findings.json"
    try:
        html, text = (_there(letter / f"{cluster}{kind}", ds, cluster).decode() for kind in (".html", ".txt"))
        digest = findings_digest(cluster, json.loads(_there(findings, ds, cluster)))
    except (TypeError, KeyError, ValueError) as error:
        raise LetterError(f"the letter of {cluster} for {ds} cannot be read ({type(error).__name__})") from error
    subject = subject_of(html)
    if not subject:
        raise LetterError(f"the letter of {cluster} for {ds} has no title to make a subject of")
    return deliver(home, ds, cluster, html, text, subject, owners, smtp, digest, dry_run)


def _there(path: Path, ds: str, cluster: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise LetterError(f"{ds} has no letter of {cluster}: {path.name} is not there") from None
