"""Signature catalogue: reads every folder of `sql/signatures/`, gives validated models with their queries.

A signature is a measurable symptom, independent of any version. Adding one is adding a folder; nothing registers it:

    signature.yaml       words, causes, thresholds with their reasons, lines of evidence, the close look it asks for
    <id>_thresholds      a table that the queries join: a row per cluster, a column per threshold
    1_<view>.sql ...     tables that the queries below read, in this order
    needs.sql            per input that is asked for: is it there, and if not, why (needs.py)
    detections.sql       a row per thing that was found: cause, strength, ordinal, numbers (signature_rows.py)
    subjects.sql         optional: the names of other things that a detection is about
    rows.sql             optional: other rows than the detections' for the letter's table
    series.sql           points of the day for the letter's charts
    cases/               given rows -> expected state and detections; run by the tests
"""

import re
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.catalogue_folders import check_files, load_entries, read_query, read_steps, read_words
from kafka_fleet.knowledge.close_looks import Look
from kafka_fleet.knowledge.detection_rows import template
from kafka_fleet.knowledge.needs import Need
from kafka_fleet.knowledge.noticed import Noticed
from kafka_fleet.knowledge.owner_words import OwnerWords
from kafka_fleet.knowledge.thresholds import Threshold
from kafka_fleet.schema.mbeans import mbean_of

WORDS = "signature.yaml"
QUERIES, OPTIONAL = ("needs", "detections", "series"), ("subjects", "rows")  # files of a folder, beside its steps
_ELSEWHERE = {"admin": "Kafka protocol", "host": "node_exporter", "agent": "Jolokia"}


def _named_mbean(text: str) -> str:
    """Where a number was read, as an owner looks it up. Raises ValueError for what is none of these.

    `table.column` or `table.column[part]` of mbeans.yaml gives the MBean's object name; `admin:<request and field>`,
    `host:<metric>` and `agent:<field>` name what was read over the Kafka protocol, from node_exporter, and beside the
    values in an agent's answer.
    """
    kind, _, rest = text.partition(":")
    if kind in _ELSEWHERE and rest.strip():
        return f"{_ELSEWHERE[kind]}: {rest.strip()}"
    match = re.fullmatch(r"([a-z_]+)\.([a-z0-9_]+)(?:\[(\w+)\])?", text)
    try:
        if match is None:
            raise KeyError(text)
        return mbean_of(match[1], match[2], match[3] or "")
    except KeyError:
        raise ValueError(f"{text}: mbeans.yaml has no such table.column") from None


class EvidenceRow(BaseModel):
    """How one number of the query becomes a line of evidence; `source` is the raw table.column behind it."""

    model_config = ConfigDict(extra="forbid")
    metric: str
    value: str
    unit: str
    source: str
    threshold: dict[str, str] = Field(default_factory=dict)

    @property
    def mbean(self) -> str:
        """The MBean behind the number, or the request or host metric where it is none."""
        return _named_mbean(self.source)


class LookAlike(BaseModel):
    """A healthy or different state that shows a similar picture, and what separates it."""

    model_config = ConfigDict(extra="forbid")
    name: str
    separated_by: str


class Advice(BaseModel):
    """What the owner does or checks when it is detected, of some causes or of all; `command` is one line to copy."""

    model_config = ConfigDict(extra="forbid")
    causes: list[str] = Field(default_factory=list)
    text: str = Field(min_length=12)
    command: str | None = None


class Subjects(BaseModel):
    """Subjects of one kind: a template over a row, `broker {{ broker }}`; of more than `most` the rest is counted.

    The worst come first, unless they are listed `by_name`. Where things of one kind are named in several ways: a
    template of each, in this order.
    """

    model_config = ConfigDict(extra="forbid")
    name: str | list[str]
    most: int = Field(default=15, ge=1)
    by_name: bool = False

    @property
    def names(self) -> list[str]:
        """Its templates."""
        return [self.name] if isinstance(self.name, str) else self.name


class Places(BaseModel):
    """Places of evidence that is of several things: a template over each row; the first of them, joined by commas."""

    model_config = ConfigDict(extra="forbid")
    text: str
    most: int = Field(ge=1)


class BoundList(BaseModel):
    """A bound that is a list: a template over each row that names subjects; of more than `most` the rest is counted."""

    model_config = ConfigDict(extra="forbid")
    text: str
    most: int = Field(ge=1)


class Chart(BaseModel):
    """A picture of the letter: its title is a template over a row of series.sql."""

    model_config = ConfigDict(extra="forbid")
    title: str
    unit: str
    threshold: str | None = None


class Signature(BaseModel):
    """One signature folder: words and thresholds from signature.yaml, the statistic from its queries.

    place, subjects, bounds, table and charts say what the rows of the queries become (knowledge/signature_rows.py).
    place: of several templates the first that the worst row has the columns for.
    bounds: name -> column, or list; words: column -> what its values are called; table: heading -> column, or template;
    none: the columns of rows.sql as they are. owner_words: by cause, what a letter says first of it.
    noticed_as: by cause, what an owner sees who knows nothing of it yet.
    """

    model_config = ConfigDict(extra="forbid")
    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    symptom: str
    causes: dict[str, str]
    noticed_as: dict[str, list[Noticed]] = Field(default_factory=dict)
    needs: dict[str, Need] = Field(min_length=1)
    thresholds: dict[str, Threshold]
    look_alikes: list[LookAlike]
    evidence: list[EvidenceRow]
    remeasure: str
    advice: list[Advice] = Field(default_factory=list)
    look: Look | None = None
    place: str | list[str] | Places = ""
    detection_key: list[str] = Field(default_factory=list)
    subjects: list[Subjects] = Field(default_factory=list)
    bounds: dict[str, str | BoundList] = Field(default_factory=dict)
    words: dict[str, dict[str, str]] = Field(default_factory=dict)
    table: dict[str, str] = Field(default_factory=dict)
    charts: dict[str, Chart] = Field(default_factory=dict)
    owner_words: dict[str, OwnerWords] = Field(default_factory=dict)
    detections_query: str = ""
    subjects_query: str = ""
    series_query: str = ""
    steps: dict[str, str] = Field(default_factory=dict)
    needs_query: str = ""
    rows_query: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> "Signature":
        for row in self.evidence:
            unknown = [*(set(row.threshold) - set(self.causes)), *(set(row.threshold.values()) - set(self.thresholds))]
            if unknown:
                raise ValueError(f"evidence {row.value}: no such cause or threshold: {', '.join(sorted(unknown))}")
            _named_mbean(row.source)
        if unknown := sorted(set(self.noticed_as) - set(self.causes)):
            raise ValueError(f"noticed_as: no such cause: {', '.join(unknown)}")
        for need in self.needs.values():
            need.check(self.thresholds)
        for advice in self.advice:
            if unknown := sorted(set(advice.causes) - set(self.causes)):
                raise ValueError(f"advice: no such cause: {', '.join(unknown)}")
        if unknown := sorted(set(self.owner_words) - set(self.causes)):
            raise ValueError(f"owner_words: no such cause: {', '.join(unknown)}")
        for one in self.owner_words.values():
            one.check({row.value for row in self.evidence})
        for chart in self.charts.values():
            if chart.threshold is not None and chart.threshold not in self.thresholds:
                raise ValueError(f"chart {chart.title}: no such threshold: {chart.threshold}")
        lists = [bound.text for bound in self.bounds.values() if isinstance(bound, BoundList)]
        names = [text for kind in self.subjects for text in kind.names] + [one.title for one in self.charts.values()]
        places = self.place if isinstance(self.place, list) else [getattr(self.place, "text", self.place)]
        for text in (*places, *names, *lists, *self.table.values()):
            template(text)
        return self

    @property
    def detections_view(self) -> str:
        """The name under which the signature's other queries read its detections."""
        return f"{self.id}_detections"

    @property
    def all_steps(self) -> dict[str, str]:
        """Texts of the steps and of the detections by view, in their order."""
        return {**self.steps, self.detections_view: self.detections_query}

    @property
    def queries(self) -> list[str]:
        """Texts of all steps and queries."""
        others = [self.needs_query, self.subjects_query, self.rows_query, self.series_query]
        return [text for text in (*self.all_steps.values(), *others) if text]

    def remeasure_for(self, jolokia_url: str) -> str:
        """The owner's one-line request, with the broker's URL and the MBeans' names filled in."""
        filled = re.sub(r"\{([a-z_]+\.[a-z0-9_]+(?:\[\w+\])?)\}", lambda m: _named_mbean(m[1]), self.remeasure)
        return filled.replace("{jolokia}", jolokia_url.rstrip("/"))


def _load(folder: Path) -> Signature:
    made = read_words(folder, WORDS, Signature)
    check_files(folder, (*QUERIES, *OPTIONAL))
    named = [name for name in (*QUERIES, *OPTIONAL) if name in QUERIES or (folder / f"{name}.sql").exists()]
    queries = {f"{name}_query": read_query(folder, name) for name in named}
    return made.model_copy(update={"steps": read_steps(folder), **queries})


@cache
def load_signatures(folder: Path | None = None) -> dict[str, Signature]:
    """Every signature by id, sorted. `folder` is the one that holds `signatures/`; default: the project's sql/."""
    return load_entries((folder or sql_dir()) / "signatures", _load)
