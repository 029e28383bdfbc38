"""Bars and charts: widths, columns and captions of known figures, and gaps where nothing was measured."""

import pytest

from kafka_fleet.report.charts import PLOT_PIXELS, bar
from kafka_fleet.report.formatting import bounds_text, number, quantity, span
from support.builders.documents import chart
from support.builders.letter_rows import DS, day_chart


def test_bar_of_a_ratio_uses_the_whole_scale_and_marks_the_threshold() -> None:
    made = bar(0.45, 0.3, "ratio")
    assert made is not None
    assert made.cells == ((30, "fill"), (1, "mark"), (14, "fill"), (55, "rest"))
    assert (len(made.text), made.text[12], made.text.count("█")) == (40, "│", 17)


def test_a_bar_without_a_scale_to_judge_by_is_not_drawn() -> None:
    assert bar(158257, None, "bytes") is None
    assert bar(158257, 100000, "bytes") is not None


@pytest.mark.parametrize("value", [0, 0.1, 0.3, 0.300001, 1.0, 7, 1e9])
@pytest.mark.parametrize("threshold", [0.3, 1, 500])
def test_bar_cells_always_fill_the_row(value: float, threshold: float) -> None:
    made = bar(value, threshold, "ratio")
    assert made is not None
    assert sum(width for width, _ in made.cells) == 100
    filled = sum(width for width, kind in made.cells if kind == "fill")
    assert (filled > 0) == (value > 0)


@pytest.mark.parametrize("value", [None, "text", float("nan"), float("inf"), -1, True])
def test_no_bar_for_what_is_no_finite_positive_number(value: object) -> None:
    assert bar(value, 0.3, "ratio") is None


def test_chart_of_a_day_has_half_hours_and_gaps() -> None:
    raw = day_chart([0.1] * 144)
    raw["points"] = [p for i, p in enumerate(raw["points"]) if not 60 <= i < 66]
    raw["points"][5]["value"] = 0.9
    made = chart(raw, DS, 48)
    assert made is not None
    assert (len(made.columns), made.start, made.end) == (48, "00:00", "24:00")
    assert [i for i, c in enumerate(made.columns) if c.gap] == [20, 21]
    assert [i for i, c in enumerate(made.columns) if c.over] == [1]
    assert made.upper + made.lower == PLOT_PIXELS
    assert (made.spark[20], made.spark[1]) == ("·", "█")
    assert "highest 90\u00a0% at 00:50 UTC" in made.caption
    assert "1 of 138 windows at or over the threshold 30\u00a0%" in made.caption


def test_chart_of_a_short_sweep_series_has_one_column_per_point() -> None:
    raw = day_chart([1, 5, 2], "requests", None)
    made = chart(raw, DS, 48)
    assert made is not None
    assert (len(made.columns), made.upper, made.end) == (3, 0, "00:30")
    assert made.columns[1].lower > made.columns[2].lower > made.columns[0].lower


def test_chart_without_points_is_none() -> None:
    assert chart(day_chart([]), DS, 48) is None
    assert chart(day_chart([float("nan")]), DS, 48) is None


@pytest.mark.parametrize(
    ("value", "unit", "beside", "text"),
    [
        (0.45, "ratio", 0.3, "45 %"),
        (6.2, "ratio", 0.3, "6.2"),
        (0.3, "ratio", 6.2, "0.3"),
        (501, "ms", 300, "501 ms"),
        (12345.6, "records", None, "12,346 records"),
        (None, "ms", None, "\u2013"),
        (4, "count", None, "4"),
    ],
)
def test_quantity(value: object, unit: str, beside: object, text: str) -> None:
    assert quantity(value, unit, beside).replace("\u00a0", " ") == text


def test_numbers_bounds_and_spans() -> None:
    assert [number(v) for v in (1204.0, 0.03125, 1e-7, "x")] == ["1,204", "0.0312", "1e-07", "x"]
    assert bounds_text([391, 462]) == "391 to 462"
    assert bounds_text({"upper": 2, "lower": 1}) == "lower 1, upper 2"
    assert span(f"{DS}T23:50:00Z", "2026-11-21T00:00:00Z", DS) == "23:50 to 2026-11-21 00:00 UTC"
    assert span(None, None, DS) == ""
