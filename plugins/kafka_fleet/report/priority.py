"""How pressing a finding is where it is: takes its severity and its cluster's environment, gives the weighed severity.

A severity is the issue's own and stays in the findings as it is. What breaks production is more pressing than the same
in staging, and that more than in development: there it weighs one step less, and two.
"""

from collections.abc import Collection, Sequence
from typing import Literal, TypeVar

from kafka_fleet.documents.finding import FindingRow
from kafka_fleet.domain import ENVIRONMENT_RANK, SEVERITIES, VERDICT_RANK, severity_rank

LOWEST = "low"  # a bug that was measured is no mere information anywhere
Row = TypeVar("Row", bound=FindingRow)
Importance = Literal["high", "normal", "low"]


def weighed(severity: str | None, environment: str | None) -> str:
    """The severity as it weighs there; that of an unknown environment weighs as in production."""
    found = severity if severity in SEVERITIES else "info"
    if found == "info":
        return found
    return SEVERITIES[
        min(SEVERITIES.index(found) + ENVIRONMENT_RANK.get(environment or "", 0), SEVERITIES.index(LOWEST))
    ]


def most_pressing(findings: Sequence[Row], accepted: Collection[str] = ()) -> Row | None:
    """The worst finding that nobody has acknowledged: by verdict, then by severity; None where nothing is affected.

    accepted: keys of those acknowledged.
    """
    open_ones = [one for one in findings if VERDICT_RANK[one.verdict] > 0 and one.key not in accepted]
    return min(
        open_ones,
        key=lambda one: (-VERDICT_RANK[one.verdict], severity_rank(one.severity), one.key),
        default=None,
    )


def importance(finding: FindingRow | None, environment: str | None) -> Importance:
    """What a mail says of itself (RFC 4021, Importance): high for a confirmed bug that weighs high or critical."""
    if finding is None:
        return "low"
    weight = weighed(finding.severity, environment)
    if finding.verdict == "confirmed":
        return "high" if weight in ("critical", "high") else "normal"
    return "normal" if weight in ("critical", "high") else "low"


def sentence(finding: FindingRow | None, environment: str | None) -> str:
    """Most pressing, in words; empty where there is nothing."""
    if finding is None:
        return ""
    key, severity = finding.key, finding.severity
    weight = weighed(severity, environment)
    told = f"Most pressing: {key[:1].upper() + key[1:]}, severity {severity}"
    return f"{told}; on a {environment} cluster it weighs as {weight}." if weight != severity else f"{told}."
