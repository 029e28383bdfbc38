"""The table of `kafka-fleet findings`: takes the findings of a day, chooses and orders them, gives cells as text."""

from collections.abc import Collection, Sequence

from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import VERDICT_RANK, severity_rank

HEAD = ("cluster", "release", "advisory", "verdict", "severity", "cause", "since", "upgrade to", "where")
MOST_SUBJECTS = 3  # of a finding in one row; the letter lists the others


def select(found: Sequence[Finding], clusters: Collection[str], verdicts: Collection[str]) -> list[Finding]:
    """The findings of these clusters with these verdicts, in their order; an empty choice means all."""
    return [
        one for one in found if (not clusters or one.cluster in clusters) and (not verdicts or one.verdict in verdicts)
    ]


def table_rows(found: Sequence[Finding]) -> list[list[str]]:
    """One row per finding: the worst verdict first, then the worst severity, then in the order of the findings."""
    ordered = sorted(found, key=lambda one: (-VERDICT_RANK[one.verdict], severity_rank(one.severity)))
    return [
        [
            one.cluster,
            one.release or "?",
            one.advisory or f"symptom {one.signature}",
            one.verdict,
            one.severity or "",
            one.cause or "",
            one.first_day or "",
            one.upgrade_to or "",
            ", ".join(one.subjects[:MOST_SUBJECTS]),
        ]
        for one in ordered
    ]
