"""Findings of all clusters of a day: takes what is published and what is asked for, gives those findings.

A list has some hundred findings for each cluster, so only those that are asked for are made of it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kafka_fleet.documents.finding import Finding, FindingRow, parsed_findings
from kafka_fleet.documents.published import Damaged, NotPublished, Published
from kafka_fleet.documents.summary import ClusterSummary
from kafka_fleet.domain import fingerprint
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import below_home
from kafka_fleet.store.versions import NewerVersion, document

Json = dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """What is asked for; empty: all, and of verdicts all but not_affected."""

    clusters: Collection[str] = ()
    verdicts: Collection[str] = ()
    severities: Collection[str] = ()
    advisories: Collection[str] = ()

    def takes(self, row: Mapping[str, Any]) -> bool:
        """Whether a stored finding is among it."""
        return (
            (not self.clusters or row["cluster"] in self.clusters)
            and (row["verdict"] in self.verdicts if self.verdicts else row["verdict"] != "not_affected")
            and (not self.severities or row["severity"] in self.severities)
            and (not self.advisories or row["advisory"] in self.advisories)
        )


def fleet_of_day(source: Published, ds: str) -> dict[str, ClusterSummary]:
    """The clusters of a day in brief. Raises NotPublished, also where the day's judge wrote no summary."""
    source.generation(ds)
    found = source.summary(ds)
    if found is None:
        raise NotPublished(f"{ds} was judged by another version of the program, which says nothing of its clusters")
    return dict(found)


def fleet_findings(source: Published, ds: str, choice: Choice, first: int, most: int) -> tuple[list[Finding], int]:
    """Some findings of a day in their order, with fingerprints, and how many there are. Raises NotPublished.

    Raises NotPublished too for an advisory that nothing was judged by: that none is found would sound like health.
    """
    rows, what = _rows(source, ds)
    try:
        unknown = sorted(set(choice.advisories) - {row["advisory"] for row in rows})
        chosen = [row for row in rows if choice.takes(row)]
        part = [_with_fingerprint(one) for one in parsed_findings(chosen[first : first + most])]
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{what} is damaged ({type(error).__name__})") from error
    if unknown:
        raise NotPublished(f"{ds} was not judged by an advisory {', '.join(unknown)}")
    return part, len(chosen)


def finding_of(source: Published, ds: str, wanted: str) -> Finding:
    """The finding with a fingerprint. Raises NotPublished."""
    rows, what = _rows(source, ds)
    try:
        for row in rows:
            if (row.get("fingerprint") or fingerprint(row["cluster"], FindingRow.model_validate(row))) == wanted:
                return _with_fingerprint(Finding.model_validate(row))
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{what} is damaged ({type(error).__name__})") from error
    raise NotPublished(f"{ds} has no finding with this fingerprint")


def _rows(source: Published, ds: str) -> tuple[Sequence[Json], str]:
    """The stored list, and what it is in words."""
    path = Home(source.home).generation(ds, source.generation(ds)).finding_list
    what = below_home(path)
    try:
        rows = document(path.read_bytes(), what)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError("no list of findings")
        return rows, what
    except FileNotFoundError as error:
        raise NotPublished(f"{ds} has no findings") from error
    except NewerVersion:
        raise
    except ValueError as error:
        raise Damaged(f"{what} is damaged ({type(error).__name__})") from error


def _with_fingerprint(one: Finding) -> Finding:
    """Earlier versions wrote none."""
    return one if one.fingerprint else one.model_copy(update={"fingerprint": fingerprint(one.cluster, one)})
