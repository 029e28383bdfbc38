"""A cluster of the fleet's day as pages weigh it: its document without charts, and its findings.

What a page shows of a document went through the sanitizer once, here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import FindingRow
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.knowledge.releases import Release, comparable_release
from kafka_fleet.report.sanitize import clean, cleaned

CLIP = 120  # characters of a name that a cluster supplied


@dataclass(frozen=True)
class Member:
    """One declared cluster on a day. report: None where the day has no document of it."""

    cluster: str
    report: ClusterReport | None
    rows: Sequence[FindingRow]

    @property
    def environment(self) -> str:
        """As in the fleet file; empty where that does not say."""
        return (self.report.environment or "") if self.report else ""

    @property
    def verdicts(self) -> dict[str, str]:
        """Worst verdict by finding's key."""
        found: dict[str, str] = {}
        for row in self.rows:
            if VERDICT_RANK[row.verdict] > VERDICT_RANK[found.get(row.key, "not_affected")]:
                found[row.key] = row.verdict
        return found

    @property
    def releases(self) -> tuple[Release, ...]:
        """Broker releases that can be compared, sorted."""
        brokers = self.report.coverage.brokers if self.report else []
        known = (comparable_release(one.release) for one in brokers)
        return tuple(sorted({release for release in known if release is not None}))

    @property
    def confirmed(self) -> int:
        """Number of confirmed findings."""
        return sum(verdict == "confirmed" for verdict in self.verdicts.values())


def member(cluster: str, report: ClusterReport | None, rows: Sequence[FindingRow]) -> Member:
    """The member, with every text of its document made harmless, and without its charts."""
    light = cleaned(report.model_copy(update={"signatures": []}), CLIP) if report else None
    return Member(str(clean(cluster, CLIP)), light, [cleaned(row, CLIP) for row in rows])
