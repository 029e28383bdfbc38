"""Flat rows of a signature to what it found: takes rows of its queries, gives detections, the letter's table, charts.

    detections.sql   a row per thing that was found: cluster, cause, strength, from_at, to_at, ordinal (1 is the
                     cluster's worst), and the columns that signature.yaml names; line: optional, the row's place in
                     the letter's table where that is another one, null where it is not in it; frames: optional, what
                     is on the stacks of a circle of threads, by which issues are told apart (advisories.ShownBy)
    subjects.sql     optional, where some subjects are other things: cluster, cause, ordinal, the columns of their names
    rows.sql         optional, where the letter's table shows other things: cluster, ordinal, and the table's columns
    series.sql       points of the day: cluster, chart, object_name, object_detail, threshold, from_at, to_at, amount

Rows of one cluster, cause and `detection_key` are one detection: the conclusive ones where there are any. Its numbers
are those of the first row; its subjects are named by all. Its place is named as its subjects are: by subjects.sql
where that has the columns. SQL gives no text that is shown, and cuts nothing off.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from kafka_fleet.knowledge.detection_rows import template
from kafka_fleet.knowledge.detections import Detection
from kafka_fleet.knowledge.evidence import figure, iso
from kafka_fleet.knowledge.signature_parts import BoundList, Places
from kafka_fleet.knowledge.signatures import Signature

FlatRow = Mapping[str, Any]
MOST_ROWS = 40  # of the letter's table, per cluster
SERIES = ("cluster", "chart", "object_name", "object_detail", "threshold", "from_at", "to_at", "amount")


def detections_of(
    signature: Signature, rows: Iterable[FlatRow], named: Iterable[FlatRow], values: Mapping[str, float]
) -> tuple[Detection, ...]:
    """The detections of one cluster, by cause and key. named: rows of subjects.sql; values: thresholds in force."""
    own, others = _by_detection(signature, rows), _by_detection(signature, named)
    return tuple(
        _detection(signature, own[key], others[key], values)
        for key in sorted(own, key=lambda key: [(one is not None, one) for one in key])
    )


def _by_detection(signature: Signature, rows: Iterable[FlatRow]) -> dict[tuple[Any, ...], list[FlatRow]]:
    """By cause and key, in order; of a detection that has conclusive rows these alone."""
    found: dict[tuple[Any, ...], list[FlatRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.get("ordinal") or 0):
        found[(row["cause"], *(row[name] for name in signature.detection_key))].append(row)
    for same in found.values():
        best = min(row.get("strength") or "" for row in same)
        same[:] = [row for row in same if (row.get("strength") or "") == best]
    return found


def _detection(
    signature: Signature, rows: Sequence[FlatRow], named: Sequence[FlatRow], values: Mapping[str, float]
) -> Detection:
    worst = rows[0]
    place, evidence = _place(signature.place, rows, named), []
    for line in signature.evidence:
        name = line.threshold.get(worst["cause"])
        threshold = values[name] if name else None
        begin, end = line.times or ("from_at", "to_at")
        evidence.append(figure(line, worst[line.value], threshold, place, worst[begin], worst[end]))
    told = tuple(one for one in evidence if one is not None)
    subjects, bounds = _subjects(signature, rows, named), _bounds(signature, worst, named or rows)
    cycles = tuple(frozenset(row["frames"]) for row in rows if row.get("frames"))
    return Detection(worst["cause"], worst["strength"], subjects, told, bounds, cycles)


def _place(place: str | list[str] | Places, rows: Sequence[FlatRow], named: Sequence[FlatRow]) -> str | None:
    if isinstance(place, Places):
        return ", ".join(_names(place.text, rows, ())[: place.most])
    texts = place if isinstance(place, list) else [place]
    return next((name for text in texts for name in _names(text, rows[:1], named[:1])), None)


def _names(text: str, rows: Sequence[FlatRow], named: Sequence[FlatRow]) -> list[str]:
    """Each name once, by those of the rows that have the columns which its template asks for."""
    one = template(text)
    asked = named if named and one.names <= named[0].keys() else rows
    return list(dict.fromkeys(name for row in asked if (name := one.of(row)) is not None))


def _subjects(signature: Signature, rows: Sequence[FlatRow], named: Sequence[FlatRow]) -> tuple[str, ...]:
    """Each subject once, kind by kind, the worst first; and how many more of a kind there are."""
    found: list[str] = []
    for kind in signature.subjects:
        names: list[str] = []
        for text in kind.names:
            own = _names(text, rows, named)
            names += sorted(own) if kind.by_name else own
        found += names[: kind.most]
        if len(names) > kind.most:
            found.append(f"and {len(names) - kind.most:,} more {names[0].partition(' ')[0]}s")
    return tuple(found)


def _bounds(signature: Signature, worst: FlatRow, named: Sequence[FlatRow]) -> dict[str, Any] | None:
    """Lower and upper bounds as plain JSON, without those that are not known."""
    found: dict[str, Any] = {}
    for name, bound in signature.bounds.items():
        if isinstance(bound, BoundList):
            texts = [text for row in named if (text := template(bound.text).of(row)) is not None]
            more = [f"and {len(texts) - bound.most:,} more"] if len(texts) > bound.most else []
            found[name] = "; ".join(texts[: bound.most] + more) or None
        else:
            found[name] = worst[bound]
    return {name: value for name, value in found.items() if value is not None} or None


def table_of(signature: Signature, rows: Iterable[FlatRow]) -> dict[str, Any] | None:
    """The letter's table of one cluster: `{"columns": [...], "rows": [[...]]}` as texts; None without any row."""
    placed = [(place, row) for row in rows if (place := row.get("line", row["ordinal"])) is not None]
    shown = [row for _place, row in sorted(placed, key=itemgetter(0))[:MOST_ROWS]]
    if not shown:
        return None
    columns = signature.table or {name: name for name in shown[0] if name not in ("cluster", "ordinal")}
    worded = [_worded(signature, row) for row in shown]
    return {"columns": list(columns), "rows": [[_cell(text, row) for text in columns.values()] for row in worded]}


def _worded(signature: Signature, row: FlatRow) -> FlatRow:
    return {name: signature.words.get(name, {}).get(str(value), value) for name, value in row.items()}


def _cell(column: str, row: FlatRow) -> str | None:
    if "{" in column:
        return template(column).of_nulls(row) or None
    value = row[column]
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return None if value is None else str(value)


def charts_of(signature: Signature, points: Iterable[FlatRow], values: Mapping[str, float]) -> list[dict[str, Any]]:
    """The charts of one cluster by title, their points in the order of time. values: thresholds in force."""
    charts: dict[str, dict[str, Any]] = {}
    for row in sorted((row for row in points if row["to_at"] is not None), key=lambda row: row["to_at"]):
        chart = signature.charts[row["chart"]]
        title = template(chart.title).of(row)
        if title is None or row["amount"] is None or row["from_at"] is None:
            continue
        threshold = row["threshold"] if chart.threshold is None else values[chart.threshold]
        one = charts.setdefault(title, {"title": title, "unit": chart.unit, "threshold": threshold, "points": []})
        point = {"from": iso(row["from_at"]), "to": iso(row["to_at"]), "value": round(float(row["amount"]), 4)}
        one["points"].append({**point, "reference": None})
    return [charts[title] for title in sorted(charts)]
