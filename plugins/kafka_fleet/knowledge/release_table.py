"""The file releases.yaml: takes it, gives its checked content, or every fault of it at once as sentences.

An entry is a day, `by <day>` (published by then at the latest, the day itself is not verified) or `unannounced`
(artifacts carry the number, the project never announced it: it is compared, never recommended).
"""

import datetime as dt
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from kafka_fleet.base.validation_errors import printable_message
from kafka_fleet.base.yaml import FleetFileError, load_yaml
from kafka_fleet.knowledge.versions import Release, ReleaseError, parse_line, parse_release

_KEYS = {"as_of", "lines", "expected", "support_ends"}


def _release(text: object) -> Release | None:
    release = parse_release(text) if isinstance(text, str) else None
    return release if release is not None and release.apache else None


def _day(value: object) -> dt.date | None:
    """The day from which an entry counts as published, None for what was never announced."""
    if type(value) is dt.date:
        return value
    found = re.fullmatch(r"by (\d{4}-\d{2}-\d{2})", str(value))
    if not found and value != "unannounced":
        raise ValueError(f"{value!r} is no date, `by <date>` or `unannounced`")
    return dt.date.fromisoformat(found[1]) if found else None


def _lines(lines: dict[Any, Any], as_of: dt.date, faults: list[str]) -> tuple[dict[Release, Any], dict[Release, Any]]:
    dates: dict[Release, dt.date | None] = {}
    since: dict[Release, dt.date] = {}
    for line, entries in lines.items():
        for text, value in (entries if isinstance(entries, dict) else {"": None}).items():
            release, where = _release(text), f"lines.{line}.{text}"
            if release is None or release.line_text != line:
                faults.append(f"{where}: not a plain release of this line")
                continue
            try:
                day = _day(value)
            except ValueError as error:
                faults.append(f"{where}: {error}")
                continue
            dates[release] = value if type(value) is dt.date else None
            since |= {release: day} if day is not None else {}
            faults += [f"{where}: {day} is after as_of; move as_of to it"] if day is not None and day > as_of else []
    dated = sorted(since.items())
    faults += [
        f"lines.{a.line_text}.{b}: is dated before {a}"
        for (a, first), (b, second) in pairwise(dated)
        if a.line == b.line and second < first
    ]
    return dict(sorted(dates.items())), dict(dated)


def _expected(content: dict[Any, Any], dates: dict[Release, Any], faults: list[str]) -> dict[Release, str]:
    expected: dict[Release, str] = {}
    for text, reason in content.items():
        release = _release(text)
        if release is None or not isinstance(reason, str) or not reason.strip():
            faults.append(f"expected.{text}: needs a plain release and who names it")
        elif release in dates:
            faults.append(f"expected.{text}: is published; take it out here")
        else:
            expected[release] = reason
    return expected


def _support_ends(
    content: dict[Any, Any], since: dict[Release, dt.date], faults: list[str]
) -> dict[tuple[int, ...], dt.date]:
    ends: dict[tuple[int, ...], dt.date] = {}
    for text, day in content.items():
        try:
            line = parse_line(str(text))
        except ReleaseError as error:
            faults.append(f"support_ends.{text}: {error}")
            continue
        last = max((published for release, published in since.items() if release.line == line), default=None)
        if last is None or type(day) is not dt.date:
            faults.append(f"support_ends.{text}: needs a line with a published release, and a date")
        elif day < last:
            faults.append(f"support_ends.{text}: {day} is before its last patch of {last}")
        else:
            ends[line] = day
    return ends


def load_table(file: Path) -> dict[str, Any]:
    """Fields of releases.Catalogue. Raises ReleaseError with one line per fault, naming file and entry."""
    try:
        content = load_yaml(file)
    except FleetFileError as error:
        raise ReleaseError(str(error).replace(str(file), file.name)) from error
    if not isinstance(content, dict) or not {"as_of", "lines"} <= set(content) <= _KEYS:
        raise ReleaseError(f"{file.name}: needs as_of and lines, and takes {', '.join(sorted(_KEYS))}")
    as_of, lines = content["as_of"], content["lines"]
    if type(as_of) is not dt.date or not isinstance(lines, dict) or not lines:
        raise ReleaseError(f"{file.name}: as_of is a date, and lines a mapping of at least one line")
    faults = [
        f"{name}: must be a mapping"
        for name in ("expected", "support_ends")
        if not isinstance(content.get(name, {}), dict)
    ]
    if faults:
        raise ReleaseError("\n".join(f"{file.name}: {fault}" for fault in faults))
    dates, since = _lines(lines, as_of, faults)
    expected = _expected(content.get("expected", {}), dates, faults)
    ends = _support_ends(content.get("support_ends", {}), since, faults)
    faults += [] if since or faults else ["lines: no release is announced"]
    if faults:
        raise ReleaseError("\n".join(f"{file.name}: {printable_message(fault)}" for fault in faults))
    return {"dates": dates, "since": since, "expected": expected, "support_ends": ends, "as_of": as_of}
