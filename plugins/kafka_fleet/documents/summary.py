"""A cluster's day in brief, the fleet's day in brief, and what a letter reported: rows of findings without evidence."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from kafka_fleet.documents.document import SCHEMA_VERSION, Document, Text
from kafka_fleet.documents.finding import DatedRow, FindingRow
from kafka_fleet.domain import SignatureState

_REPORTED = ("figure", "unseen", "persists", "acknowledged")  # members that are left out where there is nothing to say


class SummaryRow(DatedRow):
    """A finding of a cluster's day, without its evidence."""

    basis: list[Text] = Field(
        default_factory=list, description="settings that its exposure rests on; earlier versions do not say"
    )


class DaySummary(Document):
    """A cluster's day in brief: verdicts/<cluster>.json."""

    schema_version: int = Field(default=SCHEMA_VERSION, description="1")
    reached: bool = Field(description="whether any part of the cluster answered in any sweep")
    release: Text | None = Field(default=None, description="of its brokers, in words; null: not read, or not said")
    states: dict[Text, SignatureState] = Field(description="state by signature")
    rows: list[SummaryRow] = Field(description="every finding but those not affected")


class ClusterSummary(Document):
    """One cluster of a day, for the page of the fleet."""

    environment: Text | None = Field(description="as in the fleet file")
    owners: list[Text] = Field(description="addresses")
    reached: bool = Field(description="as in the cluster's day in brief")
    problem: Text | None = Field(description="why it is not judged: its entry is not valid, or it is set aside")
    counts: dict[Text, int] = Field(description="number of findings by verdict, without not_affected")
    cells: dict[Text, Text] = Field(description="by signature its worst verdict, else its state")

    @property
    def judged(self) -> bool:
        """Whether it was reached, and neither its entry nor its measurements kept it from being judged."""
        return self.reached and not self.problem


class FleetSummary(Document):
    """All clusters of a day: summary.json."""

    schema_version: int = Field(default=SCHEMA_VERSION, description="1")
    clusters: dict[Text, ClusterSummary] = Field(description="by id")


class ReportedFinding(FindingRow):
    """A finding as a letter reported it: what the next letter compares with. It is kept with the mail."""

    figure: Text | None = Field(default=None, description="the first line of its evidence in words; absent: none")
    unseen: bool = Field(default=False, description="true: reported as it could not be measured since; absent: false")
    persists: Text | None = Field(
        default=None, description="the release on which it was confirmed before one with the fix; absent: none"
    )
    acknowledged: Text | None = Field(
        default=None, description="`holds`, or `void` where it was reported as not holding any more; absent: none"
    )

    def plain(self) -> dict[str, Any]:
        """As JSON; what there is nothing to say of is left out."""
        return {k: v for k, v in super().plain().items() if k not in _REPORTED or (v is not None and v is not False)}


Reported = dict[str, ReportedFinding]  # finding's key -> what was reported of it


def read_reported(content: Mapping[str, Any]) -> Reported:
    """What a mail kept of what it reported of a cluster. Raises ValueError where it is none of that."""
    return {key: ReportedFinding.model_validate(row) for key, row in content.items()}


def kept_reported(told: Reported) -> dict[str, Any]:
    """As a mail keeps it."""
    return {key: row.plain() for key, row in told.items()}
