"""Flat rows of a check to words: takes the rows of its `detections.sql` and templates, gives texts.

Every check gives rows of the same columns, one per number, name or missing input; SQL cuts and words nothing:

    cluster, metric   what the row is: the check's YAML file knows its metrics
    kind, object_name what it is of: `broker` and `1`; both null where it is the whole cluster's
    object_detail     a second name, as the metric has it: the topic of a group, the release of a process
    ordinal           the worst is 1; the rows of the whole cluster have 0
    amount            the number; whole numbers are shown as such
    from_at, to_at    what the number is measured over
    is_subject        whether what the row is of is a subject of the finding

A template is Jinja2. Names that come from Kafka are values of it, and no part of its text.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import jinja2
from jinja2 import meta

COLUMNS = (
    "cluster", "metric", "kind", "object_name", "object_detail", "ordinal", "amount", "from_at", "to_at", "is_subject",
)  # fmt: skip


class DetectionRow(NamedTuple):
    """One row, without its cluster."""

    metric: str
    kind: str | None
    object_name: str | None
    object_detail: str | None
    ordinal: int
    amount: float | int | None
    from_at: datetime | None
    to_at: datetime | None
    is_subject: bool


class Template(NamedTuple):
    """A template with the names that it asks for."""

    made: jinja2.Template
    names: frozenset[str]

    def of_row(self, row: DetectionRow, totals: Mapping[str, Any]) -> str | None:
        """The text of one row; None where a part of it that the template names is null."""
        return self.of({**totals, **row._asdict()})

    def of(self, values: Mapping[str, Any]) -> str | None:
        """The text of these values; None where one that the template names is null."""
        if any(values.get(name) is None for name in self.names):
            return None
        return self.made.render(values)

    def of_nulls(self, values: Mapping[str, Any]) -> str:
        """The same, with `?` for what is null; a template may ask for it with `is none`."""
        return self.made.render(values)


@cache
def template(text: str) -> Template:
    """The template of a text. Raises ValueError where it is none."""
    environment = jinja2.Environment(
        autoescape=jinja2.select_autoescape(default_for_string=False),  # texts are escaped where they are shown
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: "?" if value is None else value,
    )
    try:
        return Template(
            environment.from_string(text), frozenset(meta.find_undeclared_variables(environment.parse(text)))
        )
    except jinja2.TemplateSyntaxError as error:
        raise ValueError(f"template {text!r}: {error}") from error


def detection_row(found: Mapping[str, Any]) -> DetectionRow:
    """A row of the query, its number whole where it is a whole number."""
    amount = found["amount"]
    if isinstance(amount, float) and amount.is_integer():
        amount = int(amount)
    return DetectionRow(**{name: found[name] for name in COLUMNS[1:]} | {"amount": amount})


def totals_of(rows: Sequence[DetectionRow]) -> dict[str, Any]:
    """The numbers of the whole cluster by metric."""
    return {row.metric: row.amount for row in rows if row.kind is None}


def sentence(text: str, rows: Sequence[DetectionRow], thresholds: Mapping[str, float]) -> str:
    """The sentence of a check on one cluster, its rows by ordinal.

    The template knows the numbers of the whole cluster and the thresholds by name; `rows`, `subjects` among them,
    and `of`: rows by metric, none of an unknown one.
    """
    of: dict[str, list[DetectionRow]] = defaultdict(list)
    for row in rows:
        of[row.metric].append(row)
    subjects = [row for row in rows if row.is_subject]
    known = {**thresholds, **totals_of(rows), "rows": rows, "subjects": subjects, "of": of}
    return template(text).made.render(known)
