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
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path

from pydantic import Field, model_validator

from kafka_fleet.base.catalogue_faults import FaultAt, placed
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.validation_errors import unknown_name
from kafka_fleet.knowledge.catalogue_folders import (
    CatalogueEntry,
    check_files,
    load_entries,
    read_query,
    read_steps,
    read_words,
)
from kafka_fleet.knowledge.close_looks import Look
from kafka_fleet.knowledge.detection_rows import template
from kafka_fleet.knowledge.metric_tables import shipped_names
from kafka_fleet.knowledge.needs import Need
from kafka_fleet.knowledge.noticed import Noticed
from kafka_fleet.knowledge.owner_words import OwnerWords
from kafka_fleet.knowledge.signature_parts import (
    Advice,
    BoundList,
    Chart,
    EvidenceRow,
    LookAlike,
    Places,
    Subjects,
    named_mbean,
)
from kafka_fleet.knowledge.thresholds import Threshold

WORDS = "signature.yaml"
QUERIES, OPTIONAL = ("needs", "detections", "series"), ("subjects", "rows")  # files of a folder, beside its steps


def _known(kind: str, name: str, known: Iterable[str], *location: str | int) -> None:
    """Raise FaultAt for a name that the file does not declare."""
    if name not in (names := list(known)):
        raise FaultAt(location, unknown_name(f"no such {kind}: {name}", name, names))


class Signature(CatalogueEntry):
    """One signature folder: words and thresholds from signature.yaml, the statistic from its queries.

    place, subjects, bounds, table and charts say what the rows of the queries become (knowledge/signature_rows.py).
    place: of several templates the first that the worst row has the columns for.
    bounds: name -> column, or list; words: column -> what its values are called; table: heading -> column, or template;
    none: the columns of rows.sql as they are. owner_words: by cause, what a letter says first of it.
    noticed_as: by cause, what an owner sees who knows nothing of it yet.
    """

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
        for index, row in enumerate(self.evidence):
            for cause, threshold in row.threshold.items():
                _known("cause", cause, self.causes, "evidence", index, "threshold", cause)
                _known("threshold", threshold, self.thresholds, "evidence", index, "threshold", cause)
            placed(("evidence", index, "source"), partial(named_mbean, row.source))
        for name, need in self.needs.items():
            placed(("needs", name), partial(need.check, self.thresholds))
        for index, advice in enumerate(self.advice):
            for cause in advice.causes:
                _known("cause", cause, self.causes, "advice", index, "causes")
        for cause in self.noticed_as:
            _known("cause", cause, self.causes, "noticed_as", cause)
        for cause, words in self.owner_words.items():
            _known("cause", cause, self.causes, "owner_words", cause)
            placed(("owner_words", cause), partial(words.check, {row.value for row in self.evidence}))
        for name, chart in self.charts.items():
            if chart.threshold is not None:
                _known("threshold", chart.threshold, self.thresholds, "charts", name, "threshold")
            placed(("charts", name, "title"), partial(template, chart.title))
        for name, bound in self.bounds.items():
            if isinstance(bound, BoundList):
                placed(("bounds", name, "text"), partial(template, bound.text))
        places = self.place if isinstance(self.place, list) else [getattr(self.place, "text", self.place)]
        for text in places:
            placed(("place",), partial(template, text))
        for index, one in enumerate(self.subjects):
            for text in one.names:
                placed(("subjects", index, "name"), partial(template, text))
        for heading, text in self.table.items():
            placed(("table", heading), partial(template, text))
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
        filled = re.sub(r"\{([a-z_]+\.[a-z0-9_]+(?:\[\w+\])?)\}", lambda m: named_mbean(m[1]), self.remeasure)
        return filled.replace("{jolokia}", jolokia_url.rstrip("/"))

    def remeasure_by_metrics(self, metrics_url: str) -> str:
        """The same of a metrics endpoint: its lines of the metrics that the request asks for."""
        asked = re.findall(r"\{([a-z_]+\.[a-z0-9_]+)(?:\[\w+\])?\}", self.remeasure)
        names = sorted({name for column in asked for name in shipped_names().of(column)})
        return f"curl -s {metrics_url} | grep -iE '^({'|'.join(names)})[ {{]'" if names else f"curl -s {metrics_url}"


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
