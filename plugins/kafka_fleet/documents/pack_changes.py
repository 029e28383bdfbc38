"""What another pack of knowledge changes: takes two replays of some days, gives findings and targets that differ."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kafka_fleet.documents.cluster_report import ClusterReport, UpgradePlan
from kafka_fleet.documents.finding import parsed_findings
from kafka_fleet.store.files import list_names, read_file
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home, HomeGeneration
from kafka_fleet.store.versions import document

Kind = Literal["comes", "goes", "verdict", "upgrade"]
KINDS: tuple[Kind, ...] = ("comes", "goes", "verdict", "upgrade")
_STEPS = {"now": "brokers, now", "next": "brokers, next", "clients": "clients"}


class PackChange(NamedTuple):
    """One difference of a cluster. was, now: verdicts, or releases to upgrade to; None: none. days: which have it."""

    cluster: str
    kind: Kind
    what: str
    was: str | None
    now: str | None
    days: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {**self._asdict(), "days": list(self.days)}


class Compared(NamedTuple):
    """The changes, in the order of clusters; and the days that both judged, with how many clusters."""

    changes: list[PackChange]
    days: dict[str, int]


def pack_changes(before: Path, after: Path, days: Sequence[str]) -> Compared:
    """before, after: the folders of the two replays. Days that one of them did not judge are left out.

    Raises ValueError for a damaged document.
    """
    found: dict[tuple[str, Kind, str, str | None, str | None], list[str]] = defaultdict(list)
    judged: dict[str, int] = {}
    for ds in days:
        old, new = _generation(before, ds), _generation(after, ds)
        if old is None or new is None:
            continue
        was, now = _verdicts(old), _verdicts(new)
        for cluster, what in sorted({*was, *now}):
            pair = was.get((cluster, what)), now.get((cluster, what))
            if pair[0] != pair[1]:
                found[(cluster, _kind(*pair), what, *pair)].append(ds)
        plans, planned = _plans(old), _plans(new)
        judged[ds] = len(planned)
        for cluster in sorted({*plans, *planned}):
            for step, words in _STEPS.items():
                pair = _target(plans.get(cluster), step), _target(planned.get(cluster), step)
                if pair[0] != pair[1]:
                    found[(cluster, "upgrade", words, *pair)].append(ds)
    changes = [PackChange(*key, tuple(on)) for key, on in found.items()]
    changes.sort(key=lambda one: (one.cluster, KINDS.index(one.kind), one.what, one.days))
    return Compared(changes, judged)


def _kind(was: str | None, now: str | None) -> Kind:
    if was is None:
        return "comes"
    return "goes" if now is None else "verdict"


def _generation(results: Path, ds: str) -> HomeGeneration | None:
    name = current_generation(Home(results).day(ds).findings)
    return None if name is None else Home(results).generation(ds, name)


def _verdicts(of: HomeGeneration) -> dict[tuple[str, str], str]:
    """By cluster and key; what is not affected is no finding."""
    found = parsed_findings(document(read_file(of.finding_list), f"what is judged of {of.day.ds}"))
    return {(one.cluster, one.key): one.verdict for one in found if one.verdict != "not_affected"}


def _plans(of: HomeGeneration) -> Mapping[str, UpgradePlan]:
    names = [name.removesuffix(".json") for name in list_names(of.clusters) if name.endswith(".json")]
    reports = {name: document(read_file(of.cluster(name)), f"{name} of {of.day.ds}") for name in names}
    return {name: ClusterReport.model_validate(content).plan for name, content in reports.items()}


def _target(plan: UpgradePlan | None, step: str) -> str | None:
    found = getattr(plan, step) if plan else None
    return found.release if found else None
