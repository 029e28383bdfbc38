"""A day of one figure as an SVG: takes a chart of a report, gives coordinates; colours are the page's rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kafka_fleet.documents.cluster_report import ChartReport, ClusterReport
from kafka_fleet.page.axes import Frame, round_axis_end, span
from kafka_fleet.report.charts import usable
from kafka_fleet.report.formatting import clock, moment, quantity

_MOST = 4000  # points drawn


@dataclass(frozen=True)
class Plot:
    """Steps from each interval's start to its end; `limit` is the threshold's height, `ticks` label the axes."""

    title: str
    unit: str
    segments: tuple[tuple[float, float, float, bool], ...]
    reference: tuple[tuple[float, float, float], ...]
    limit: float | None
    limit_label: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    said: str


def plot(raw: ChartReport, ds: str) -> Plot | None:
    """One chart of a report; None without points."""
    points = [(moment(p.from_at), moment(p.to_at), p) for p in raw.points if usable(p.value)][:_MOST]
    if not points:
        return None
    midnight = datetime.fromisoformat(ds).replace(tzinfo=UTC)
    threshold = float(raw.threshold) if usable(raw.threshold) and raw.threshold > 0 else None
    references = [p.reference for _a, _b, p in points if usable(p.reference)]
    top = round_axis_end(max([p.value for _a, _b, p in points] + [*references, threshold or 0, 1e-12]))

    seconds = [(at - midnight).total_seconds() for a, b, _p in points for at in (a, b)]
    frame = Frame(*span(seconds), top)

    def x(at: datetime) -> float:
        return frame.x((at - midnight).total_seconds())

    over = [p.value for _a, _b, p in points if threshold is not None and p.value >= threshold]
    peak = max(points, key=lambda point: float(point[2].value))
    unit = raw.unit or ""
    said = f"{raw.title}: highest {quantity(peak[2].value, unit, top)} at {clock(peak[0], ds)} UTC"
    if threshold is not None:
        said += f"; {len(over):,} of {len(points):,} intervals at or over {quantity(threshold, unit, top)}"
    return Plot(
        title=raw.title,
        unit=unit,
        segments=tuple(
            (x(a), max(x(b), x(a) + 1), frame.y(p.value), threshold is not None and p.value >= threshold)
            for a, b, p in points
        ),
        reference=tuple((x(a), max(x(b), x(a) + 1), frame.y(p.reference)) for a, b, p in points if usable(p.reference)),
        limit=None if threshold is None else frame.y(threshold),
        limit_label="" if threshold is None else quantity(threshold, unit, top),
        x_ticks=frame.x_ticks,
        y_ticks=frame.y_ticks,
        said=said,
    )


def plots(report: ClusterReport) -> list[tuple[str, Sequence[Plot]]]:
    """Title of each signature that has charts, detected ones first, with its plots."""
    order = ("detected", "quiet", "not_evaluated")
    found: list[tuple[str, Sequence[Plot]]] = []
    for one in sorted(report.signatures, key=lambda s: (order.index(s.state), s.signature)):
        drawn = [made for raw in one.charts if (made := plot(raw, report.ds))]
        if drawn:
            found.append((one.title, drawn))
    return found
