"""Columns that each query of a catalogue folder gives: by kind of folder and file, with type and meaning.

Documentation shows them (docs/reference/query_columns.md), and Spark's results are held to them before they are read.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from kafka_fleet.knowledge.detection_rows import template
from kafka_fleet.knowledge.plots import MISSING, POINTS
from kafka_fleet.knowledge.signature_parts import BoundList, Places
from kafka_fleet.knowledge.signatures import Signature


class QueryColumn(NamedTuple):
    """One column. needed: without it the query is refused; else what is not given is null."""

    type: str
    about: str
    needed: bool = True


Columns = dict[str, QueryColumn]

CLUSTER = QueryColumn("text", "the cluster's id")
ORDINAL = QueryColumn("whole number", "1 is the cluster's worst")
_FROM, _TO = (
    QueryColumn("timestamp", "what the number is measured over: its begin"),
    QueryColumn("timestamp", "its end"),
)

NEEDS: Columns = {
    "cluster": CLUSTER,
    "need": QueryColumn("text", "a name of `needs` in signature.yaml"),
    "broker": QueryColumn("whole number", "its id; null where the whole cluster is meant"),
    "reason": QueryColumn("text", "a name of the need's `unmet`: this sentence is said in any case", needed=False),
    "amount": QueryColumn("number", "a number for `met` and the sentences", needed=False),
    "total": QueryColumn("number", "another one", needed=False),
}
DETECTIONS: Columns = {
    "cluster": CLUSTER,
    "cause": QueryColumn("text", "a name of `causes` in signature.yaml"),
    "strength": QueryColumn("text", "`conclusive` or `suggestive`"),
    "ordinal": ORDINAL,
    "from_at": _FROM,
    "to_at": _TO,
    "line": QueryColumn(
        "whole number", "the row's place in the letter's table where that is another one than `ordinal`", needed=False
    ),
    "frames": QueryColumn(
        "list of texts", "`class.method` on the stacks of a circle of threads that wait for each other", needed=False
    ),
}
SUBJECTS: Columns = {
    "cluster": CLUSTER,
    "cause": QueryColumn("text", "whose subject it is"),
    "ordinal": QueryColumn("whole number", "1 is the worst"),
}
ROWS: Columns = {"cluster": CLUSTER, "ordinal": QueryColumn("whole number", "place in the letter's table; at most 40")}
SERIES: Columns = {
    "cluster": CLUSTER,
    "chart": QueryColumn("text", "a name of `charts` in signature.yaml"),
    "object_name": QueryColumn("text", "a name for the chart's title", needed=False),
    "object_detail": QueryColumn("text", "a second one", needed=False),
    "threshold": QueryColumn("number", "the line across it, where signature.yaml names no threshold", needed=False),
    "from_at": _FROM,
    "to_at": _TO,
    "amount": QueryColumn("number", "the value; high is bad"),
}
CONDITION: Columns = {
    "cluster": CLUSTER,
    "metric": QueryColumn(
        "text", "a name of `evidence` or `needs` in condition.yaml, else a number or name for its sentence"
    ),
    "kind": QueryColumn("text", "what the row is of, as `broker`; null where it is the whole cluster's"),
    "object_name": QueryColumn("text", "its name, as `1`; null where the row is the whole cluster's"),
    "object_detail": QueryColumn("text", "a second name, as the topic of a group or the release of a process"),
    "ordinal": QueryColumn("whole number", "1 is the worst; rows of the whole cluster have 0"),
    "amount": QueryColumn("number", "the number; of a missing input 0 means that it is there"),
    "from_at": _FROM,
    "to_at": _TO,
    "is_subject": QueryColumn("true or false", "the object is a subject of the finding, so the condition holds"),
}
_TYPES = {
    "STRING": "text",
    "INT": "whole number",
    "BIGINT": "whole number",
    "DOUBLE": "number",
    "TIMESTAMP": "timestamp",
}


def _of_plots(columns: dict[str, str], about: dict[str, str]) -> Columns:
    return {name: QueryColumn(_TYPES[kind], about[name], needed=name == "cluster") for name, kind in columns.items()}


PLOT_POINTS = _of_plots(
    POINTS,
    {
        "cluster": "the cluster's id",
        "panel": "a name of `panels` in plot.yaml: a picture with one axis",
        "panel_object": "a name for its title",
        "panel_place": "its place on the page",
        "panel_count": "how many pictures there are in all",
        "series": "a name of `series` in plot.yaml: a line in the picture",
        "series_object": "a name for the line",
        "series_detail": "a second one",
        "place": "the line's place, the worst first",
        "series_count": "how many lines there are in all",
        "from_at": "what the number is measured over: its begin",
        "to_at": "its end",
        "amount": "the number",
    },
)
PLOT_MISSING = _of_plots(
    MISSING,
    {
        "cluster": "the cluster's id",
        "missing": "a name of `missing` in plot.yaml",
        "broker": "its id; null where the whole cluster is meant",
        "sweeps": "how many sweeps lack it",
        "of_sweeps": "of how many",
    },
)
QUERIES: dict[str, dict[str, Columns]] = {  # kind of folder -> file -> columns
    "signatures": {"needs": NEEDS, "detections": DETECTIONS, "subjects": SUBJECTS, "rows": ROWS, "series": SERIES},
    "conditions": {"detections": CONDITION},
    "plots": {"query": PLOT_POINTS, "missing": PLOT_MISSING},
}


def named_columns(signature: Signature) -> Iterator[tuple[str, str]]:
    """Columns of detections.sql that signature.yaml names itself, each with the key that names it."""
    for index, line in enumerate(signature.evidence, start=1):
        yield line.value, f"evidence, entry {index}, value"
    for name in signature.detection_key:
        yield name, "detection_key"
    for name, bound in signature.bounds.items():
        if not isinstance(bound, BoundList):
            yield bound, f"bounds.{name}"
    if not signature.rows_query:
        yield from table_columns(signature)
    if not signature.subjects_query:
        place = signature.place
        texts = place if isinstance(place, list) else [place.text if isinstance(place, Places) else place]
        yield from ((name, "place") for name in sorted(template(texts[0]).names))
        names = [text for one in signature.subjects for text in one.names]
        yield from ((name, "subjects") for text in names for name in sorted(template(text).names))


def table_columns(signature: Signature) -> Iterator[tuple[str, str]]:
    """Columns of the letter's table, each with the key that names it."""
    for heading, text in signature.table.items():
        names = sorted(template(text).names) if "{" in text else [text]
        yield from ((name, f"table.{heading}") for name in names)


def lacking(given: Collection[str], columns: Columns, named: Iterable[tuple[str, str]] = ()) -> list[str]:
    """What a query does not give: `column ordinal`, `column nameless (evidence, entry 3, value)`."""
    missing = [f"column {name}" for name, one in columns.items() if one.needed and name not in given]
    return missing + list(
        dict.fromkeys(f"column {name} ({key} of signature.yaml)" for name, key in named if name not in given)
    )
