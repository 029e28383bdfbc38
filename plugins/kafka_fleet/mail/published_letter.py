"""A cluster's judged day as mails tell it: takes a home, gives letter, findings and what is acknowledged of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from kafka_fleet.config.acknowledgements import Acknowledgement, Acknowledgements, acknowledgement_states
from kafka_fleet.documents.coverage import reached, set_aside
from kafka_fleet.documents.day_summaries import DaySummary, read_day_summary
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.mail.last_sent import clean_days
from kafka_fleet.mail.late_judgements import late_days
from kafka_fleet.report.attachments import attachments
from kafka_fleet.report.changes import Changes, Reported, compare
from kafka_fleet.report.changes_section import first_part
from kafka_fleet.report.letter import findings_digest
from kafka_fleet.report.priority import most_pressing
from kafka_fleet.report.view_models import Json
from kafka_fleet.store.generations import checked_day, current_generation
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
    findings: list[Json]
    dossier: Json
    digest: str
    brief: DaySummary | None
    reached: bool
    standing: Mapping[str, tuple[Acknowledgement, str | None]]
    faults: Sequence[str]

    @property
    def unjudged(self) -> str:
        """What was not done with the cluster on this day, in two words; empty where it was judged."""
        if set_aside(self.dossier) is not None:
            return "not judged"
        return "" if self.reached else "not measured"

    @property
    def environment(self) -> str | None:
        """Its tier, as the fleet file said on the day."""
        found: str | None = self.dossier["environment"]
        return found

    @property
    def pressing(self) -> Json | None:
        """The worst finding that nobody has acknowledged."""
        accepted = {key for key, (_one, void) in self.standing.items() if void is None}
        found = most_pressing(self.findings, accepted)
        return dict(found) if found else None

    def changes(self, told: Reported | None, since: str | None, unsure: str | None = None) -> Changes:
        """What changed since the letter of the day `since`; None: no letter was sent yet. unsure: see Changes."""
        changes = compare(
            told,
            self.findings,
            since,
            self.reached,
            lambda signature, cause: clean_days(self.home, self.cluster, signature, cause, self.ds, self.brief),
            {key: why for key, (_one, why) in self.standing.items()},
            set_aside(self.dossier) is not None,
        )
        late = late_days(self.home, self.cluster, since, self.ds) if since else ()
        return replace(changes, unsure=unsure, late=late)

    def first_part(self, changes: Changes) -> tuple[str, str]:
        """HTML and text of what changed."""
        return first_part(
            changes, load_advisories(), self.findings, self.standing, self.faults, self.pressing, self.environment
        )

    def tables(self) -> dict[str, str]:
        """Its evidence as CSV by file name."""
        return attachments(self.dossier, self.findings)


def published_generation(home: Path, ds: str) -> str:
    """The generation of a day whose letters readers follow. Raises LetterError."""
    found = current_generation(home / f"reports/ds={checked_day(ds)}")
    if found is None:
        raise LetterError(f"nothing is published for {ds}; write the report first")
    return found


def mailed_generation(home: Path, ds: str, wanted: str | None) -> str:
    """The generation whose letters a run mails: its own, unless readers follow a later one by now. Raises LetterError.

    A run that was overtaken, or is cleared afterwards, would else revert what a later run has sent.
    """
    if wanted is None:
        return published_generation(home, ds)
    shown = current_generation(home / f"reports/ds={checked_day(ds)}")
    return wanted if shown is None or int(shown[1:]) <= int(wanted[1:]) else shown


def read_judged(home: Path, ds: str, cluster: str, generation: str, acknowledged: Acknowledgements) -> JudgedDay:
    """Raises LetterError where a part is not there or damaged."""
    letter, judged = home / f"reports/ds={ds}/{generation}", home / f"findings/ds={ds}/{generation}"
    try:
        html, text = (_there(letter / f"{cluster}{kind}", ds, cluster).decode() for kind in (".html", ".txt"))
        dossier = document(_there(judged / f"clusters/{cluster}.json", ds, cluster), f"{cluster} of {ds}")
        own = _findings(judged / "findings.json", ds).get(cluster, [])
        short = read_day_summary(home, ds, cluster, generation)
        return JudgedDay(
            home=home,
            ds=ds,
            cluster=cluster,
            html=html,
            text=text,
            findings=own,
            dossier=dossier,
            digest=findings_digest(cluster, own),
            brief=short,
            reached=short.reached if short else reached(dossier),
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
def _findings(path: Path, ds: str) -> dict[str, list[Json]]:
    """A day's findings by cluster, read once for all that are mailed: a generation's documents never change."""
    found: dict[str, list[Json]] = {}
    for one in document(_there(path, ds, "any cluster"), f"what is judged of {ds}"):
        found.setdefault(one["cluster"], []).append(one)
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
