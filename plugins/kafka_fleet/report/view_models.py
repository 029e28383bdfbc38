"""What a letter's cards are made of: how much they show, and their parts as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kafka_fleet.report.charts import Bar


@dataclass(frozen=True)
class Limits:
    """How much a letter shows of each list, and how long a name may be; see LEVELS in model.py."""

    cards: int
    rows: int
    ids: int
    subjects: int
    evidence: int
    charts: int
    columns: int
    sentences: int
    brokers: int
    signatures: int
    clip: int
    table: int


@dataclass(frozen=True)
class Cut:
    """The first items of a list and how many more there are."""

    items: tuple[Any, ...]
    more: int


def cut_list(items: Sequence[Any], most: int) -> Cut:
    """The first `most` items; one more is shown rather than `and 1 more`."""
    keep = len(items) if len(items) <= most + 1 else most
    return Cut(tuple(items[:keep]), len(items) - keep)


@dataclass(frozen=True)
class Evidence:
    """One measured figure in words, with its bar."""

    metric: str
    value: str
    threshold: str | None
    where: str | None
    when: str
    mbean: str | None
    bar: Bar | None


@dataclass(frozen=True)
class Table:
    """The rows behind a detection: column heads, the first rows, and how many more there are."""

    columns: tuple[str, ...]
    rows: Cut


@dataclass(frozen=True)
class Card:
    """A measured finding in full. `details_above` names the card that already shows this signature's day."""

    verdict: str
    id: str | None
    title: str
    severity: str | None
    cause: str | None
    strength: str | None
    meaning: str
    release: str | None
    components: str
    measured_on: str
    upgrade_to: str | None
    summary: str
    mechanism: str
    why_upgrade: str
    workaround: str | None
    sources: tuple[tuple[str, str | None], ...]
    subjects: tuple[tuple[str, Cut], ...]
    evidence: Cut
    bounds: str | None
    missing: Cut
    rivals: Cut
    details_above: str | None
    look_alikes: Cut
    charts: Cut
    advice: Cut
    table: Table | None
    remeasure: str | None
