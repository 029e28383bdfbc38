"""Evidence as CSV: figures stay figures, and no cell is a formula, whatever the cluster named its topics."""

import csv
import io

import pytest

from kafka_fleet.report.attachments import cell
from support.builders.documents import attachments
from support.builders.letter_rows import evidence, finding
from support.builders.letter_samples import payments


@pytest.mark.fault(55)
@pytest.mark.parametrize("text", ["0.45", "-3", "1e-9", "12", "topic a", "2026-11-20T10:00:00Z", "a=b", ""])
def test_plain_cells_stay_as_they_are(text):
    assert cell(text) == text


@pytest.mark.fault(55)
@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "-", "=HYPERLINK(0)", "-1.\u0663"],  # noqa: RUF001
)
def test_what_a_spreadsheet_would_run_is_text(text):
    assert cell(text).startswith("'")
    assert not set(cell(text)) & set("\t\r\n")


@pytest.mark.fault(55)
@pytest.mark.parametrize("separator", [";", ",", "\t", "|", '"', "; "])
def test_a_formula_behind_a_separator_is_text_too(separator):
    assert f"{separator}=" not in cell(f"a{separator}=cmd|' /C calc'!A0").replace("\\t", "\t")


@pytest.mark.fault(55)
def test_values_with_separators_come_back_whole():
    name = '=cmd|" /C calc"!A0,\n"x"'
    files = attachments(payments(), [finding("KAFKA-14334", "confirmed", evidence=[evidence(where=name)])])
    rows = list(csv.reader(io.StringIO(files["payments-eu_2026-11-20_evidence.csv"], newline="")))
    assert len(rows) == 2
    assert rows[1][rows[0].index("where")] == "'" + name.replace("\n", "\\n")


def test_only_what_was_measured_is_attached():
    quiet = payments() | {"signatures": []}
    assert attachments(quiet, [finding("CVE-1", "exposed"), finding("B", "not_affected", evidence=[evidence()])]) == {}
