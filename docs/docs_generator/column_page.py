"""The page of columns: which columns the queries of each kind of folder give, and which keys its cases have."""

from docs_generator.markdown import code, row, table
from kafka_fleet.knowledge.query_columns import QUERIES, Columns

PAGE = "docs/reference/query_columns.md"
HEAD = """<!-- generated from plugins/kafka_fleet/knowledge/query_columns.py by docs/generate.py: do not edit -->
# Columns of queries

What each SQL file of a folder of `sql/` has to give. A query that lacks a column is refused by the name of its file; a
column that is not needed may be left out, which is as null. Queries read [marts](marts/README.md), the steps of their
folder, and `<id>_thresholds`: one row per cluster, one column for each threshold of the YAML file.
[Catalogue files](catalogue_files.md) has the keys of the YAML files.
"""
KINDS = {
    "signatures": ("A signature", "sql/signatures/<id>/"),
    "conditions": ("A condition", "sql/conditions/<id>/"),
    "plots": ("A plot", "sql/plots/<id>/"),
}
MORE = {
    ("signatures", "detections"): (
        "And every column that signature.yaml names: `value` of `evidence`, `detection_key`, `bounds`, `table` where "
        "there is no `rows.sql`, and what `place` and `subjects` ask for where there is no `subjects.sql`."
    ),
    ("signatures", "subjects"): "Optional. And the columns that the templates of `subjects` ask for.",
    ("signatures", "rows"): "Optional. And the columns that `table` names.",
}
_GIVEN = "rows of marts, by table: `topic_days: [{topic: orders, fewest_replicas: 3}]`"
_ROWS = (
    "A column that is not given is null. A list in a column makes one row for each of its items; `intervals: 4, every: "
    "300` repeats a row over 4 spans of 300 s from `start` (10:00:00 on) and fills in the columns of time. A time is "
    "`10:05:00` of the case's day. `cluster` is filled in, and so are `cluster_days` and `broker_days`: usual values "
    "of a cluster with `brokers: n` brokers, where a row gives no others."
)
CASES = {
    "signatures": [
        ("file", "`cases/<name>.yaml`, a case each: at least one of each kind"),
        ("`about`", "one sentence on what happens"),
        ("`kind`", "`fires`, `healthy`, `look_alike` or `missing`"),
        ("`brokers`", "how many brokers are usual ones; default 0"),
        ("`given`", _GIVEN),
        ("`thresholds`", "the cluster's own values, by name; optional"),
        ("`expect.state`", "`detected`, `quiet` or `not_evaluated`"),
        ("`expect.detections`", "`{cause, strength, subjects, bounds}` each, `bounds` optional"),
        ("`expect.missing`", "sentences on missing inputs"),
    ],
    "conditions": [
        ("file", "`cases.yaml`, a list: at least one case that holds, one that does not, one that cannot be read"),
        ("`name`, `about`", "words with hyphens; one sentence on what is there"),
        ("`given`", _GIVEN),
        ("`expect.holds`", "true, false or null"),
        ("`expect.subjects`", "the subjects, the worst first"),
        ("`expect.missing`", "sentences on missing inputs; default none"),
        ("`expect.sentence`, `expect.evidence`", "optional: the sentence; the numbers by the names of condition.yaml"),
    ],
    "plots": [
        ("file", "`cases.yaml`, a list: at least one case with points and one with none"),
        ("`name`, `about`", "a word; one sentence on what is there"),
        ("`brokers`", "how many brokers are usual ones; default 0"),
        ("`given`", _GIVEN),
        ("`expect.panels`", "`{title, unit, of, series}` each; points are `[from, to, value]` in seconds of the day"),
        ("`expect.missing`", "sentences on what was not measured"),
    ],
}


def _columns(columns: Columns) -> str:
    rows = [[code(name), one.type, "yes" if one.needed else "no", one.about] for name, one in columns.items()]
    return table(["Column", "Type", "Needed", "What it is"], rows)


def column_page() -> str:
    """The whole page."""
    parts = [HEAD.rstrip()]
    for kind, files in QUERIES.items():
        title, folder = KINDS[kind]
        parts.append(f"## {title}")
        for name, columns in files.items():
            parts.append(f"### {code(f'{folder}{name}.sql')}")
            parts += [MORE[kind, name]] if (kind, name) in MORE else []
            parts.append(_columns(columns))
        parts.append(f"### Cases of {title[0].lower()}{title[1:]}")
        parts.append("\n".join([row("Key", "What it is"), row("---", "---"), *(row(*one) for one in CASES[kind])]))
    parts.append(f"## Rows of cases\n\n{_ROWS}")
    return "\n\n".join(parts) + "\n"
