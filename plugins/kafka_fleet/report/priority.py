"""How pressing a finding is where it is: takes its severity and its cluster's environment, gives the weighed severity.

A severity is the issue's own and stays in the findings as it is. What breaks production is more pressing than the same
in staging, and that more than in development: there it weighs one step less, and two.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from kafka_fleet.documents.day_summaries import RANK, key_of
from kafka_fleet.knowledge.advisories import severity_rank

SCALE = ("critical", "high", "medium", "low", "info")
STEPS = {"production": 0, "staging": 1, "development": 2}
LOWEST = "low"  # a bug that was measured is no mere information anywhere
Importance = Literal["high", "normal", "low"]


def weighed(severity: str | None, environment: str | None) -> str:
    """The severity as it weighs there; that of an unknown environment weighs as in production."""
    found = severity if severity in SCALE else "info"
    if found == "info":
        return found
    return SCALE[min(SCALE.index(found) + STEPS.get(environment or "", 0), SCALE.index(LOWEST))]


def most_pressing(findings: Sequence[Mapping[str, Any]], accepted: Collection[str] = ()) -> Mapping[str, Any] | None:
    """The worst finding that nobody has acknowledged: by verdict, then by severity; None where nothing is affected.

    accepted: keys of those acknowledged.
    """
    open_ones = [one for one in findings if RANK[one["verdict"]] > 0 and key_of(one) not in accepted]
    order = {key_of(one): (-RANK[one["verdict"]], severity_rank(one["severity"]), key_of(one)) for one in open_ones}
    return min(open_ones, key=lambda one: order[key_of(one)], default=None)


def importance(finding: Mapping[str, Any] | None, environment: str | None) -> Importance:
    """What a mail says of itself (RFC 4021, Importance): high for a confirmed bug that weighs high or critical."""
    if finding is None:
        return "low"
    weight = weighed(finding["severity"], environment)
    if finding["verdict"] == "confirmed":
        return "high" if weight in ("critical", "high") else "normal"
    return "normal" if weight in ("critical", "high") else "low"


def sentence(finding: Mapping[str, Any] | None, environment: str | None) -> str:
    """Most pressing, in words; empty where there is nothing."""
    if finding is None:
        return ""
    key, severity = key_of(finding), finding["severity"]
    weight = weighed(severity, environment)
    told = f"Most pressing: {key[:1].upper() + key[1:]}, severity {severity}"
    return f"{told}; on a {environment} cluster it weighs as {weight}." if weight != severity else f"{told}."
