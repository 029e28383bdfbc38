"""Figures of signatures around a roll: takes a report's charts, gives their means before, during and after it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from statistics import fmean

from kafka_fleet.documents.cluster_report import ChartReport, ClusterReport
from kafka_fleet.documents.roll_report import SymptomChange

MOST = 12  # charts


def symptoms_of(report: ClusterReport, begin: datetime, end: datetime) -> list[SymptomChange]:
    """Each chart that has a figure on more than one side of the roll's begin or end."""
    return list(_changes(report, begin, end))[:MOST]


def _changes(report: ClusterReport, begin: datetime, end: datetime) -> Iterator[SymptomChange]:
    for signature in report.signatures:
        for chart in signature.charts:
            before, during, after = _means(chart, begin, end)
            if sum(one is not None for one in (before, during, after)) > 1:
                limit = chart.threshold
                yield SymptomChange(
                    signature=signature.signature,
                    title=chart.title,
                    unit=chart.unit,
                    threshold=limit if isinstance(limit, int | float) and not isinstance(limit, bool) else None,
                    before=before,
                    during=during,
                    after=after,
                )


def _means(chart: ChartReport, begin: datetime, end: datetime) -> tuple[float | None, float | None, float | None]:
    parts: tuple[list[float], list[float], list[float]] = ([], [], [])
    for point in chart.points:
        if isinstance(point.value, bool) or not isinstance(point.value, int | float):
            continue
        from_at, to_at = datetime.fromisoformat(point.from_at), datetime.fromisoformat(point.to_at)
        middle = from_at + (to_at - from_at) / 2  # brokers are read a moment after the sweep begins
        parts[0 if middle <= begin else 2 if middle >= end else 1].append(float(point.value))
    before, during, after = map(_mean, parts)
    return before, during, after


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), 4) if values else None
