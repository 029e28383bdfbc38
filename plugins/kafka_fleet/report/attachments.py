"""Evidence as files: takes a cluster's report and findings, gives CSV texts that a spreadsheet opens and does not run.

Topic, group and client names come from the cluster: a cell that a spreadsheet would take for a formula gets an
apostrophe in front (OWASP, CSV injection). Figures stay figures.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.report.sanitize import visible

MOST_BYTES = 1_000_000  # of all attachments together
_FIGURE = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - their full-width forms run as well
_INNER = re.compile(r'([;,|\t"]\s*)([=+\-@＝＋－＠])')  # noqa: RUF001
_EVIDENCE = ("value", "unit", "threshold", "where", "from", "to", "metric", "mbean")


def cell(value: Any) -> str:
    """One cell: nothing for null, text in which every character can be seen, and no formula."""
    if value is None:
        return ""
    text = str(value)
    if _FIGURE.fullmatch(text):
        return text
    # a spreadsheet may split at another separator than the comma, whatever is quoted
    text = _INNER.sub(r"\1'\2", text)
    return f"'{visible(text)}" if text.startswith(_FORMULA) else visible(text)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV (RFC 4180)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([cell(name) for name in columns])
    writer.writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()


def attachments(report: ClusterReport, findings: Sequence[Finding]) -> dict[str, str]:
    """File name -> CSV: the evidence of all findings, and the rows behind each symptom that was detected."""
    name = f"{report.cluster}_{report.ds}"
    lines = [
        [one.advisory or f"symptom {one.signature}", one.verdict, one.cause, *(e.plain()[key] for key in _EVIDENCE)]
        for one in findings
        if one.verdict != "not_affected"
        for e in one.evidence
    ]
    made = {f"{name}_evidence.csv": table(("finding", "verdict", "cause", *_EVIDENCE), lines)} if lines else {}
    for signature in report.signatures:
        behind = signature.rows
        if signature.state == "detected" and behind:
            made[f"{name}_{signature.signature}.csv"] = table(behind.columns, behind.rows)
    kept: dict[str, str] = {}
    for file, text in made.items():
        if sum(map(len, kept.values())) + len(text) <= MOST_BYTES:
            kept[file] = text
    return kept
