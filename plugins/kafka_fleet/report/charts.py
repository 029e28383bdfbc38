"""Figures as pictures without images: takes a value or a day of points, gives cell widths, pixel heights and Unicode.

Mail clients strip SVG and block images, so a bar is a row of table cells, a chart a row of columns, and the text
twin shows the same with block characters. A threshold is a mark in the bar and the line between two cell rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeGuard

from kafka_fleet.documents.cluster_report import ChartPoint, ChartReport
from kafka_fleet.report.formatting import clock, moment, quantity

PLOT_PIXELS = 60
TEXT_BAR = 40
_BLOCKS = "▁▂▃▄▅▆▇█"
_WHOLE_DAY_FROM = timedelta(hours=4)  # measured longer than this: the axis is the whole day, in half hours


@dataclass(frozen=True)
class Bar:
    """One value on a scale: (width in percent, "fill" | "rest" | "mark") cells, and the same as text."""

    cells: tuple[tuple[int, str], ...]
    text: str
    scale: str


@dataclass(frozen=True)
class Column:
    """One column: pixels above and below the threshold line; `gap` where nothing was measured."""

    upper: int
    lower: int
    over: bool
    gap: bool


@dataclass(frozen=True)
class Chart:
    """A day of one figure. `upper` and `lower` are the pixels above and below the threshold line."""

    title: str
    columns: tuple[Column, ...]
    upper: int
    lower: int
    spark: str
    start: str
    end: str
    caption: str


def usable(value: Any) -> TypeGuard[int | float]:
    """Whether a figure can be drawn."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def bar(value: Any, threshold: Any, unit: str | None) -> Bar | None:
    """The value against its threshold on one scale that starts at 0; None for what is no finite positive number.

    A value that is no share and has no threshold gets none either: a bar without a scale to judge it by says nothing.
    """
    if not usable(value) or value < 0:
        return None
    limit = threshold if usable(threshold) and threshold > 0 else None
    share = quantity(value, unit, threshold).endswith("%")
    if limit is None and not share:
        return None
    top = 1.0 if share else max(value, limit or 0) * 1.25 or 1.0
    at = max(1, min(100, round(100 * value / top))) if value else 0
    mark = None if limit is None else max(1, min(98, round(100 * limit / top)))
    cells: list[tuple[int, str]] = []
    if mark is None:
        cells = [(at, "fill"), (100 - at, "rest")]
    elif value >= (limit or 0):
        at = max(at, mark + 1)
        cells = [(mark, "fill"), (1, "mark"), (at - mark - 1, "fill"), (100 - at, "rest")]
    else:
        at = min(at, mark)
        cells = [(at, "fill"), (mark - at, "rest"), (1, "mark"), (99 - mark, "rest")]
    drawn = "".join(
        {"fill": "█", "rest": "░", "mark": "│"}[_kind_at(cells, 100 * (i + 0.5) / TEXT_BAR)] for i in range(TEXT_BAR)
    )
    if mark is not None:
        place = min(TEXT_BAR - 1, mark * TEXT_BAR // 100)
        drawn = drawn[:place] + "│" + drawn[place + 1 :]
    scale = f"scale 0 to {quantity(top, unit, value)}"
    return Bar(tuple(cell for cell in cells if cell[0] > 0), drawn, scale)


def _kind_at(cells: Sequence[tuple[int, str]], percent: float) -> str:
    passed = 0
    for width, kind in cells:
        passed += width
        if percent < passed:
            return kind
    return cells[-1][1]


def _axis(points: Sequence[tuple[datetime, datetime, Any]], ds: str, most: int) -> tuple[datetime, datetime, int]:
    first, last = min(p[0] for p in points), max(p[1] for p in points)
    midnight = datetime.fromisoformat(ds).replace(tzinfo=UTC)
    next_midnight = midnight + timedelta(days=1)
    if last - first > _WHOLE_DAY_FROM and first >= midnight and last <= next_midnight:
        return midnight, next_midnight, most
    return first, last, max(1, min(most, len(points)))


def chart(raw: ChartReport, ds: str, most: int) -> Chart | None:
    """At most `most` columns, each the highest value measured in its share of the time; None without points."""
    points = [(moment(p.from_at), moment(p.to_at), p) for p in raw.points if usable(p.value)]
    if not points:
        return None
    start, end, count = _axis(points, ds, most)
    step = (end - start) / count if end > start else timedelta(seconds=1)
    highest: list[float | None] = [None] * count
    for begin, finish, point in points:
        first = max(0, min(count - 1, int((begin - start) / step)))
        last = max(first, min(count - 1, math.ceil((finish - start) / step) - 1))
        for place in range(first, last + 1):
            known = highest[place]
            highest[place] = point.value if known is None else max(known, point.value)
    threshold = raw.threshold if usable(raw.threshold) and raw.threshold > 0 else None
    top = max([*(v for v in highest if v is not None), threshold or 0, 1e-12]) * 1.02
    lower = PLOT_PIXELS if threshold is None else max(3, round(PLOT_PIXELS * threshold / top))
    upper = max(0, PLOT_PIXELS - lower)
    return Chart(
        title=raw.title,
        columns=tuple(_column(value, threshold, top, lower, upper) for value in highest),
        upper=upper,
        lower=lower,
        spark="".join("·" if v is None else _BLOCKS[max(0, min(7, int(8 * v / top)))] for v in highest),
        start=clock(start, ds),
        end="24:00" if end.date().isoformat() > ds and end.strftime("%H%M%S") == "000000" else clock(end, ds),
        caption=_caption(raw, [p[2] for p in points], threshold, ds),
    )


def _column(value: float | None, threshold: float | None, top: float, lower: int, upper: int) -> Column:
    if value is None:
        return Column(0, 0, False, True)
    if threshold is None:
        return Column(0, max(1, round(lower * max(value, 0) / top)), False, False)
    if value < threshold:
        return Column(0, max(1, min(lower - 1, round(lower * max(value, 0) / threshold))), False, False)
    above = (value - threshold) / (top - threshold)
    return Column(max(1, min(upper, round(upper * above))) if upper else 0, lower, True, False)


def _caption(raw: ChartReport, points: Sequence[ChartPoint], threshold: float | None, ds: str) -> str:
    unit = raw.unit
    peak = max(points, key=lambda p: float(p.value))
    low = min(p.value for p in points)
    everything = [p.value for p in points]
    beside = max([*everything, threshold or 0])
    parts = [
        f"highest {quantity(peak.value, unit, beside)} at {clock(moment(peak.from_at), ds)} UTC, "
        f"lowest {quantity(low, unit, beside)}"
    ]
    if threshold is not None:
        over = sum(1 for value in everything if value >= threshold)
        parts.append(
            f"{over:,} of {len(points):,} windows at or over the threshold {quantity(threshold, unit, beside)}"
        )
    references = [p.reference for p in points if usable(p.reference)]
    if references:
        ends = [quantity(r, unit, beside) for r in (min(references), max(references))]
        parts.append(f"a healthy broker would show {ends[0] if ends[0] == ends[1] else ' to '.join(ends)}")
    return "; ".join(parts)
