"""The marks of the script for hosts, and the page of them: takes the catalogue, gives a Python module and a table."""

import json

from docs_generator.markdown import code, escape, table
from kafka_fleet.knowledge.log_marks import LogMark, log_marks

MODULE = "plugins/kafka_fleet/collect/log_marks/kafka_log_marks/marks.py"
_HEAD = '''"""The marks: id, log, message and number of each. From knowledge/log_marks.yaml by docs/generate.py."""

# ruff: noqa: E501
from __future__ import annotations

MARKS: list[tuple[str, str, str, str]] = [
'''


def mark_module() -> str:
    """The module that the script on a host reads: it stands alone there."""
    rows = []
    for name, one in log_marks().items():
        values = (name, one.log, one.expression, one.number or "")
        rows.append("".join(["    (\n", *(f"        {json.dumps(value)},\n" for value in values), "    ),\n"]))
    return _HEAD + "".join(rows) + "]\n"


def mark_table() -> str:
    """Every mark: what is counted, in which log, what it proves, and the number that is taken of it."""
    rows = [[code(name), one.log, escape(one.shows), escape(one.proves), one.number or "", _releases(one)]
            for name, one in log_marks().items()]  # fmt: skip
    return table(["Mark", "Log", "Line", "What it proves", "Number", "Printed by"], rows)


def _releases(mark: LogMark) -> str:
    return escape("; ".join(dict.fromkeys(f"{one.by} {one.releases}" for one in mark.printed)))
