"""A cluster's judged day as mails tell it: takes a home, gives letter, findings and what is acknowledged of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kafka_fleet.config.acknowledgements import Acknowledgement, Acknowledgements, acknowledgement_states
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.day_summaries import read_day_summary
from kafka_fleet.documents.finding import Finding, parsed_findings
from kafka_fleet.documents.summary import DaySummary, read_reported
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.mail.last_sent import clean_days, last_measured
from kafka_fleet.mail.late_judgements import late_days
from kafka_fleet.report.attachments import attachments
from kafka_fleet.report.changes import Changes, compare
from kafka_fleet.report.changes_section import first_part, with_first_part
from kafka_fleet.report.finding_addresses import page_url
from kafka_fleet.report.letter import findings_digest
from kafka_fleet.report.priority import most_pressing
from kafka_fleet.report.screen_model import BREVITIES, News
from kafka_fleet.report.short_letter import ShortLetter, render_short
from kafka_fleet.report.subject_lines import subject_line
from kafka_fleet.report.trouble import measured, words_of
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.versions import NewerVersion, document


class LetterError(RuntimeError):
    """There is no letter to mail, or nobody to mail it to; one sentence."""


@dataclass(frozen=True)
class JudgedDay:
    """One cluster on one day. html, text: its published letter. standing: of its findings, see `acknowledgements`.

    digest: of the findings alone. faults: entries of the acknowledgements that are not valid, one sentence each.
    """

    home: Path
    ds: str
    cluster: str
    html: str
    text: str
    findings: list[Finding]
    report: ClusterReport
    digest: str
    summary: DaySummary | None
    reached: bool
    standing: Mapping[str, tuple[Acknowledgement, str | None]]
    faults: Sequence[str]

    @property
    def unjudged(self) -> str:
        """What was not done with the cluster on this day, in two words; empty where it was judged."""
        if self.report.set_aside is not None:
            return "not judged"
        return "" if self.reached else "not measured"

    @property
    def environment(self) -> str | None:
        """Its tier, as the fleet file said on the day."""
        return self.report.environment

    @property
    def pressing(self) -> Finding | None:
        """The worst finding that nobody has acknowledged."""
        accepted = {key for key, (_one, void) in self.standing.items() if void is None}
        return most_pressing(self.findings, accepted)

    def changes(self, told: Mapping[str, Any] | None, since: str | None, unsure: str | None = None) -> Changes:
        """What changed since the letter of the day `since`; None: no letter was sent yet. unsure: see Changes."""
        changes = compare(
            None if told is None else read_reported(told),
            self.findings,
            since,
            self.reached,
            lambda signature, cause: clean_days(self.home, self.cluster, signature, cause, self.ds, self.summary),
            {key: why for key, (_one, why) in self.standing.items()},
            self.report.set_aside is not None,
        )
        late = late_days(self.home, self.cluster, since, self.ds) if since else ()
        return replace(changes, unsure=unsure, late=late)

    def first_part(self, changes: Changes) -> tuple[str, str]:
        """HTML and text of what changed."""
        return first_part(
            changes, load_advisories(), self.findings, self.standing, self.faults, self.pressing, self.environment
        )

    @property
    def said(self) -> str:
        """The worst of what was measured and is not acknowledged, short and in its owner's words; else empty."""
        accepted = frozenset(key for key, (_one, void) in self.standing.items() if void is None)
        known = load_signatures()
        found = [one for one in measured(self.report, self.findings, accepted, known) if one.key not in accepted]
        return words_of(found[0], load_advisories(), known, BREVITIES[2]).short if found and not self.unjudged else ""

    @property
    def report_name(self) -> str:
        """File name of the full report, as it is attached."""
        return f"{self.cluster}_{self.ds}.html"

    def news(self, changes: Changes) -> News:
        """What only a mail knows of the day. Raises UsageError where KAFKA_FLEET_PAGE_URL is no address."""
        since = None if self.reached else last_measured(self.home, self.cluster, self.ds)
        return News(changes, self.standing, self.faults, since, page_url())

    def short(self, changes: Changes, attached: bool = True) -> tuple[str, ShortLetter]:
        """Subject and body of its mail. attached: the full report goes with it. Raises UsageError as `news`."""
        news = self.news(changes)
        advisories = load_advisories()
        title = subject_line(self.report, self.findings, advisories, changes, news)
        attachment = self.report_name if attached else None
        return title, render_short(self.report, self.findings, advisories, news, title, attachment)

    def attached(self, changes: Changes) -> dict[str, str]:
        """By file name: the full report with what changed below its headline, and its evidence as CSV."""
        html, _text = with_first_part(self.html, self.text, *self.first_part(changes))
        return {self.report_name: html, **self.tables()}

    def tables(self) -> dict[str, str]:
        """Its evidence as CSV by file name."""
        return attachments(self.report, self.findings)


def published_generation(home: Path, ds: str) -> str:
    """The generation of a day whose letters readers follow. Raises LetterError."""
    found = current_generation(Home(home).day(ds).reports)
    if found is None:
        raise LetterError(f"nothing is published for {ds}; write the report first")
    return found


def mailed_generation(home: Path, ds: str, wanted: str | None) -> str:
    """The generation whose letters a run mails: its own, unless readers follow a later one by now. Raises LetterError.

    A run that was overtaken, or is cleared afterwards, would else revert what a later run has sent.
    """
    if wanted is None:
        return published_generation(home, ds)
    shown = current_generation(Home(home).day(ds).reports)
    return wanted if shown is None or int(shown[1:]) <= int(wanted[1:]) else shown


def read_judged(home: Path, ds: str, cluster: str, generation: str, acknowledged: Acknowledgements) -> JudgedDay:
    """Raises LetterError where a part is not there or damaged."""
    of = Home(home).generation(ds, generation)
    try:
        html = _there(of.letter(cluster, "html"), ds, cluster).decode()
        text = _there(of.letter(cluster, "txt"), ds, cluster).decode()
        report = ClusterReport.model_validate(document(_there(of.cluster(cluster), ds, cluster), f"{cluster} of {ds}"))
        own = _findings(of.finding_list, ds).get(cluster, [])
        short = read_day_summary(home, ds, cluster, generation)
        return JudgedDay(
            home=home,
            ds=ds,
            cluster=cluster,
            html=html,
            text=text,
            findings=own,
            report=report,
            digest=findings_digest(cluster, own),
            summary=short,
            reached=short.reached if short else report.reached,
            standing=acknowledgement_states(acknowledged.entries, cluster, short.rows if short else (), ds),
            faults=[
                f"An acknowledgement is not used: {sentence}."
                for name, sentence in acknowledged.faults
                if name in (cluster, None)
            ],
        )
    except (TypeError, KeyError, ValueError) as error:
        raise unreadable(cluster, ds, error) from error


@lru_cache(maxsize=1)
def _findings(path: Path, ds: str) -> dict[str, list[Finding]]:
    """A day's findings by cluster, read once for all that are mailed: a generation's documents never change."""
    found: dict[str, list[Finding]] = {}
    for one in parsed_findings(document(_there(path, ds, "any cluster"), f"what is judged of {ds}")):
        found.setdefault(one.cluster, []).append(one)
    return found


def unreadable(cluster: str, ds: str, error: Exception) -> LetterError:
    """The sentence for a document that is not what it should be."""
    if isinstance(error, NewerVersion):
        return LetterError(str(error))
    return LetterError(f"the letter of {cluster} for {ds} cannot be read ({type(error).__name__})")


def _there(path: Path, ds: str, cluster: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise LetterError(f"{ds} has no letter of {cluster}: {path.name} is not there") from None
