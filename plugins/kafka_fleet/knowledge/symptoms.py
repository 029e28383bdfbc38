"""What do you see? Takes both catalogues, gives what owners notice, what it may be and what proves it."""

from collections.abc import Mapping
from dataclasses import dataclass

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import Signature

# headings of what no signature measures, by category of the issue, in the order of the index
UNMEASURED = {
    "unavailability": "Something stands still, or is gone",
    "latency": "Something is late",
    "performance": "Something takes too much",
    "memory-leak": "Something grows",
    "skew": "Something is uneven",
    "stuck-replication": "A replica stays behind",
    "data-loss": "Records are missing",
    "data-integrity": "Records are not what they should be",
    "operations": "Something was left as it was",
    "observability": "A figure is wrong",
}


@dataclass(frozen=True)
class Seen:
    """What is seen, and what it may be. cause: of the symptom, None where no signature measures it. issues: ids."""

    noticed: tuple[str, ...]
    cause: str | None
    happens: str
    issues: tuple[str, ...]
    proved: str


@dataclass(frozen=True)
class Section:
    """One symptom that is measured (its signature), or a kind of thing that release and settings alone tell."""

    place: str
    title: str
    signature: str | None
    seen: tuple[Seen, ...]


def _proved(signature: Signature, cause: str) -> str:
    """The first line of evidence that is compared for a cause, else the first of all."""
    compared = [one for one in signature.evidence if cause in one.threshold]
    first = next(iter(compared or signature.evidence), None)
    return first.metric if first else ""


def _measured(signature: Signature, advisories: Mapping[str, Advisory]) -> Section:
    seen = []
    for cause, noticed in signature.noticed_as.items():
        issues = [
            key
            for key, one in advisories.items()
            if one.signature and one.signature.id == signature.id and cause in one.signature.causes
        ]
        seen.append(
            Seen(tuple(noticed), cause, signature.causes[cause], tuple(sorted(issues)), _proved(signature, cause))
        )
    return Section(signature.id, signature.title, signature.id, tuple(seen))


def symptom_index(signatures: Mapping[str, Signature], advisories: Mapping[str, Advisory]) -> list[Section]:
    """Every sentence of the catalogues: measured symptoms first, then issues that no signature shows, by category."""
    sections = [_measured(one, advisories) for one in signatures.values() if one.noticed_as]
    for category, title in UNMEASURED.items():
        own: dict[tuple[str, ...], list[Advisory]] = {}
        for one in advisories.values():
            if one.signature is None and one.category == category and one.noticed_as:
                own.setdefault(tuple(one.noticed_as), []).append(one)
        seen = tuple(
            Seen(noticed, None, " ".join(issues[0].title.split()), tuple(one.id for one in issues), "")
            for noticed, issues in sorted(own.items())
        )
        if seen:
            sections.append(Section(category, title, None, seen))
    return sections
