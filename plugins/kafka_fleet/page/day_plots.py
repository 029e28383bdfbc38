"""Pictures of a cluster's day: takes its plots document, gives lines, labels, a sentence and a table of each picture.

A line is broken where no sweep, or no read of that broker, lies between: what was not measured is not drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kafka_fleet.documents.plots import PlotLimit, PlotPanel, Plots, PlotSeries, SweepTimes
from kafka_fleet.domain import GAP
from kafka_fleet.page.axes import Frame, clock_of, round_axis_end, span
from kafka_fleet.report.formatting import NO_BREAK, number
from kafka_fleet.report.sanitize import clean

LINES = 48  # of the table
_CLIP, _LABEL_CLIP = 120, 22
_SEEN = 2.0  # pixels: what is shorter has a dot, or it would not be seen
_TOUCH = 1  # seconds between two intervals that follow each other: times are whole seconds
_LABEL_HEIGHT = 13  # pixels between two labels at the ends of lines


@dataclass(frozen=True)
class Line:
    """One series: its number (colour and dash), its pieces as SVG paths, lone points, and the label at its end."""

    number: int
    name: str
    paths: tuple[str, ...]
    dots: tuple[tuple[float, float], ...]
    label: str
    label_y: float


@dataclass(frozen=True)
class Picture:
    """One panel. `table`: a row per span of time, its clock and one text per series; `every`: how long a span is."""

    title: str
    unit: str
    frame: Frame
    lines: tuple[Line, ...]
    gaps: tuple[tuple[float, float], ...]
    limit: float | None
    limit_label: str
    said: str
    rest: str
    table: tuple[tuple[str, tuple[str, ...]], ...]
    every: str


@dataclass(frozen=True)
class Shown:
    """One plot: its words, its pictures, how many more there would be, and what was not measured."""

    name: str
    title: str
    about: str
    pictures: tuple[Picture, ...]
    rest: str
    missing: tuple[str, ...]


def pieces(points: Sequence[Sequence[float]], longest: float) -> list[list[Sequence[float]]]:
    """Points in runs without a gap; a point that itself spans a gap is a mean over what nobody saw, and is left out."""
    runs: list[list[Sequence[float]]] = []
    for point in points:
        if point[1] - point[0] > longest:
            continue
        # the mean of an interval says nothing of the time before it: a broker that was down did not make connections
        near = longest if point[0] == point[1] else _TOUCH
        if runs and point[0] - runs[-1][-1][1] <= near:
            runs[-1].append(point)
        else:
            runs.append([point])
    return runs


def _path(run: Sequence[Sequence[float]], frame: Frame) -> str:
    """A run as an SVG path: level over an interval, straight between two moments."""
    places = [(frame.x(at), frame.y(p[2])) for p in run for at in dict.fromkeys((p[0], p[1]))]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in places)


def _spread(heights: Sequence[float], low: float, high: float) -> list[float]:
    """The heights, moved apart so that labels there do not cover each other, in the same order."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    found = list(heights)
    free = low
    for place in order:
        found[place] = max(heights[place], free)
        free = found[place] + _LABEL_HEIGHT
    free = high
    for place in reversed(order):
        found[place] = min(found[place], free)
        free = found[place] - _LABEL_HEIGHT
    return [round(one, 1) for one in found]


def _table(
    series: Sequence[PlotSeries], start: float, end: float
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], str]:
    """At most LINES rows, each with the highest value of its span; a span without any is left out."""
    times = sorted({point[1] for one in series for point in one.points})
    step = 1.0 if len(times) <= LINES else (end - start) / LINES
    every = "" if step == 1.0 else f"{max(1, round(step / 60))} minutes"
    rows: dict[float, list[float | None]] = {}
    for place, one in enumerate(series):
        for _from, at, value in one.points:
            key = at if step == 1.0 else start + step * min(LINES - 1, int((at - start) / step))
            row = rows.setdefault(key, [None] * len(series))
            known = row[place]
            row[place] = value if known is None else max(known, value)
    return tuple((clock_of(at), tuple(number(value) for value in rows[at])) for at in sorted(rows)), every


def picture(panel: PlotPanel, sweeps: SweepTimes, limit: PlotLimit | None) -> Picture | None:
    """One panel of the document; None where none of its points can be drawn."""
    longest = GAP * (sweeps.usual or 0)
    series = [
        one.model_copy(update={"points": [p for run in pieces(one.points, longest) for p in run]})
        for one in panel.series
    ]
    series = [one for one in series if one.points]
    if not series:
        return None
    values = [point[2] for one in series for point in one.points]
    bound = limit.value if limit else None
    swept = [at for at in (sweeps.first, sweeps.last) if at is not None]
    start, end = span([point[1] for one in series for point in one.points] + swept)
    frame = Frame(start, end, round_axis_end(max([*values, bound or 0]) * 1.02), right=590)
    ends = _spread([frame.y(one.points[-1][2]) + 4 for one in series], frame.top + 8, frame.bottom)
    lines = []
    for place, one in enumerate(series):
        runs = pieces(one.points, longest)
        lone = [run[0] for run in runs if frame.x(run[-1][1]) - frame.x(run[0][0]) < _SEEN]
        dots = [(frame.x(point[1]), frame.y(point[2])) for point in lone]
        paths = [_path(run, frame) for run in runs if run[0][0] != run[-1][1]]
        name = clean(one.name, _CLIP)
        lines.append(Line(place, name, tuple(paths), tuple(dots), clean(one.name, _LABEL_CLIP), ends[place]))
    peak = max(((point, one.name) for one in series for point in one.points), key=lambda found: found[0][2])
    table, every = _table(series, start, end)
    unit = panel.unit
    said = f"Highest {number(peak[0][2])}{NO_BREAK}{unit} at {clock_of(peak[0][1])} UTC"
    said += f" ({clean(peak[1], _CLIP)})" if len(series) > 1 else ""
    if bound:
        said += f"; {limit.label if limit else ''} {number(bound)}{NO_BREAK}{unit}"
    more = panel.series_count - len(series)
    return Picture(
        title=clean(panel.title, _CLIP),
        unit=unit,
        frame=frame,
        lines=tuple(lines),
        gaps=tuple((frame.x(a), frame.x(b)) for a, b in sweeps.gaps if b > start and a < end),
        limit=frame.y(bound) if bound else None,
        limit_label=f"{limit.label} {number(bound)}{NO_BREAK}{unit}" if limit and bound else "",
        said=said,
        rest=f"{more:,} more, with lower values, {'is' if more == 1 else 'are'} not drawn." if more > 0 else "",
        table=table,
        every=every,
    )


def day_plots(document: Plots) -> list[Shown]:
    """Every plot of the document, in its order."""
    found = []
    for one in document.plots:
        drawn = [made for panel in one.panels if (made := picture(panel, document.sweeps, one.limit))]
        more = one.panel_count - len(one.panels)
        silent = [] if drawn or not one.panels else ["No two sweeps were near enough to each other to draw a line."]
        found.append(
            Shown(
                name=one.plot,
                title=one.title,
                about=one.about,
                pictures=tuple(drawn),
                rest=f"{more:,} more, with lower values, {'is' if more == 1 else 'are'} not drawn." if more > 0 else "",
                missing=tuple(clean([*silent, *one.missing], 2 * _CLIP)),
            )
        )
    return found


def gaps_said(document: Plots, most: int = 6) -> str:
    """When no sweep was taken, in words; empty where there is no such time."""
    sweeps = document.sweeps
    longest = sorted(sweeps.gaps, key=lambda gap: gap[0] - gap[1])[:most]
    times = [f"{clock_of(a)} to {clock_of(b)}" for a, b in sorted(longest)]
    more = sweeps.gap_count - len(times)
    return f"No sweep from {', '.join(times)}{f' and {more:,} more times' if more > 0 else ''} (UTC)" if times else ""
