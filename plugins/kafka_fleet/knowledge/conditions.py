"""Measured conditions: reads every folder of `sql/conditions/`, gives validated models with their queries.

A condition is a yes/no fact of a cluster's day that an advisory asks for with `{measured: NAME}`. Adding one is adding
a folder; nothing registers it:

    condition.yaml     the question, thresholds with their reasons, lines of evidence; templates of the words
    1_<view>.sql ...   views that the query reads, in this order
    detections.sql     flat rows (knowledge/detection_rows.py)

What a row's `metric` is, condition.yaml says: a line of `evidence`, a missing input of `needs`, else a number or a name
for the sentence. The condition holds where a row is a subject; where none is, it is unknown if an input is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kafka_fleet.base.catalogue_faults import FaultAt, placed
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.validation_errors import unknown_name
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.catalogue_folders import (
    CatalogueEntry,
    check_files,
    load_entries,
    read_query,
    read_steps,
    read_words,
)
from kafka_fleet.knowledge.detection_rows import template
from kafka_fleet.knowledge.predicates import MeasuredCondition
from kafka_fleet.knowledge.signature_parts import EvidenceRow
from kafka_fleet.knowledge.thresholds import Threshold
from kafka_fleet.knowledge.verdicts import Row

WORDS = "condition.yaml"
MOST = 20  # subjects and lines of evidence that a finding lists; the rest is counted


class Line(BaseModel):
    """One line of evidence: what the number is, its unit, the threshold beside it, and where it was read."""

    model_config = ConfigDict(extra="forbid")
    metric: str
    unit: str
    source: str
    threshold: str | None = None

    @property
    def mbean(self) -> str:
        """The MBean behind the number, or the request where it is none. Raises ValueError for a name of neither."""
        return EvidenceRow(metric=self.metric, value="", unit=self.unit, source=self.source).mbean


class Condition(CatalogueEntry):
    """One folder: the question, numbers and words from condition.yaml, the rows from detections.sql.

    holds_when: when the answer is yes, as the documentation says it. needs: sentence of each missing input, in order.
    subjects, place: templates over one row; place of a row that names nothing, which is the cluster's: cluster_place.
    Those of subjects know `beside` too: the rows of the same ordinal by metric.
    letter: what the letter tells of the worst place, where a yes has a date and cannot wait: a template over the values
    of its lines of evidence by name, null of those that it lacks.
    sentence: over all rows (detection_rows.py).
    """

    question: str = Field(pattern=r"\?$")
    holds_when: str = Field(min_length=12, pattern=r"\.$")
    thresholds: dict[str, Threshold] = Field(default_factory=dict)
    evidence: dict[str, Line] = Field(min_length=1)
    needs: dict[str, str] = Field(min_length=1)
    subjects: list[str] = Field(default=["{{ kind }} {{ object_name }}"])
    place: str = "{{ kind }} {{ object_name }}"
    cluster_place: str = "the cluster"
    letter: str = ""
    sentence: str
    steps: dict[str, str] = Field(default_factory=dict)
    query: str = ""

    @property
    def queries(self) -> str:
        """The texts of all steps and of the query."""
        return "\n".join([*self.steps.values(), self.query])

    @model_validator(mode="after")
    def _consistent(self) -> "Condition":
        for name, line in self.evidence.items():
            if line.threshold is not None and line.threshold not in self.thresholds:
                text = unknown_name(f"no such threshold: {line.threshold}", line.threshold, self.thresholds)
                raise FaultAt(("evidence", name, "threshold"), text)
            placed(("evidence", name, "source"), partial(getattr, line, "mbean"))
        texts: dict[tuple[str | int, ...], str] = {("needs", name): text for name, text in self.needs.items()}
        texts |= {("subjects", index): text for index, text in enumerate(self.subjects)}
        texts |= {(name,): getattr(self, name) for name in ("place", "cluster_place", "letter", "sentence")}
        for location, text in texts.items():
            placed(location, partial(template, text))
        if unknown := sorted(template(self.letter).names - set(self.evidence)):
            text = unknown_name(f"no such line of evidence: {unknown[0]}", unknown[0], self.evidence)
            raise FaultAt(("letter",), text)
        return self


@dataclass(frozen=True)
class Answered:
    """What a condition came to on one cluster and day; evidence as findings have it.

    holds None: it could not be read, and `missing` names why. `missing` may also stand beside an answer.
    """

    holds: bool | None
    sentence: str
    subjects: tuple[str, ...] = ()
    evidence: tuple[Mapping[str, Any], ...] = ()
    missing: tuple[str, ...] = ()


def listed_subjects(subjects: Sequence[str]) -> tuple[str, ...]:
    """The worst subjects, and last how many more there are: `and 3,980 more topics`."""
    kept, rest = tuple(subjects[:MOST]), subjects[MOST:]
    if not rest:
        return kept
    kinds = {subject.partition(" ")[0] for subject in rest}
    kind = f"{kinds.pop()}s" if len(kinds) == 1 and len(rest) > 1 else kinds.pop() if len(kinds) == 1 else "subjects"
    return (*kept, f"and {len(rest):,} more {kind}")


def asked_by(advisory: Advisory) -> list[str]:
    """Names of the conditions that an advisory's preconditions ask for, in their order."""
    return [one.test.measured for one in advisory.preconditions if isinstance(one.test, MeasuredCondition)]


def with_answers(row: Row, advisory: Advisory, answers: Mapping[str, Answered]) -> Row:
    """The row of an advisory without signature, filled with what its measured conditions found on the cluster.

    Subjects stand where the cluster is exposed, evidence wherever it was read; missing inputs are named once.
    """
    own = [answers[name] for name in asked_by(advisory) if name in answers]
    if advisory.signature is not None or not own:
        return row
    subjects = tuple(s for one in own for s in one.subjects) if row.verdict == "exposed" else ()
    evidence = tuple(line for one in own for line in one.evidence) if row.verdict != "unknown" else ()
    # the reason of an unreadable condition joins its missing inputs; a finding names each by itself
    joined = {one.sentence for one in own if one.holds is None and one.missing}
    missing = [text for text in row.missing if text not in joined] + [m for one in own for m in one.missing]
    return replace(row, subjects=subjects, evidence=evidence, missing=tuple(dict.fromkeys(missing)))


def _load(folder: Path) -> Condition:
    made = read_words(folder, WORDS, Condition)
    check_files(folder, ("detections",))
    return made.model_copy(update={"steps": read_steps(folder), "query": read_query(folder, "detections")})


@cache
def load_conditions(folder: Path | None = None) -> dict[str, Condition]:
    """Every condition by id, sorted. `folder` is the one that holds `conditions/`; default: the project's sql/."""
    return load_entries((folder or sql_dir()) / "conditions", _load)
