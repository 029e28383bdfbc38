"""The letter's words: verdicts, severities, figures and times, put the same way in every part and both twins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from kafka_fleet.documents.cluster_report import ProtocolCoverage

NO_BREAK = "\u00a0"  # keeps a figure and its unit on one line; the text twin has a plain space instead
_SHARES = frozenset({"ratio", "share", "fraction"})
_UNITLESS = frozenset({"", "1", "count", "number"}) | _SHARES


@dataclass(frozen=True)
class Verdict:
    """One verdict word: its key in a finding, sign (never colour alone), label, and what it claims."""

    key: str
    sign: str
    label: str
    meaning: str


VERDICTS = {
    verdict.key: verdict
    for verdict in (
        Verdict(
            "confirmed",
            "●",
            "Confirmed",
            "The release is affected and the symptom was measured: the cluster has this bug.",
        ),
        Verdict(
            "look_alike",
            "≈",
            "Look-alike",
            "The symptom was measured, but no known bug of this release is proven to cause it.",
        ),
        Verdict(
            "exposed",
            "◐",
            "Exposed",
            "Release and configuration are affected; the symptom was not shown, or not proven, on this day.",
        ),
        Verdict("unknown", "?", "Unknown", "Could not be decided; what was missing is named."),
        Verdict("not_affected", "○", "Not affected", "The release has the fix, or a precondition does not hold."),
    )
}


def plural(count: int, word: str, many: str | None = None) -> str:
    """`1 broker`, `3 brokers`, `2 look-alikes`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def sentence(text: str) -> str:
    """The text with a capital first letter and a full stop; a name with dots, and a symptom's id, stay as they are."""
    first = text.split(maxsplit=1)[0] if text.split() else ""
    named = any(sign in first.rstrip(".,:;") for sign in "._=/-")
    return (text if named else text[:1].upper() + text[1:]) + ("" if text.endswith((".", "!", "?")) else ".")


def joined(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def number(value: Any) -> str:
    """A figure as a person reads it: 1,204 or 0.0312; text stays text, null is an en dash."""
    if value is None:
        return "–"  # noqa: RUF001 - the dash of an empty table cell
    if isinstance(value, str | bool):
        return str(value)
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _is_share(unit: str | None, values: Sequence[Any]) -> bool:
    numbers = [v for v in values if isinstance(v, int | float)]
    return unit in _SHARES and bool(numbers) and all(0 <= v <= 1 for v in numbers)


def quantity(value: Any, unit: str | None, beside: Any = None) -> str:
    """Figure with its unit. A ratio within 0 and 1 becomes a percentage if what it is compared with is one too."""
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_share(unit, (value, beside)):
        return f"{100 * value:.3g}{NO_BREAK}%"
    text = number(value)
    return text if value is None or (unit or "") in _UNITLESS else f"{text}{NO_BREAK}{unit}"


def protocol_counts(admin: ProtocolCoverage) -> str:
    """Of how many sweeps the Kafka protocol gave an answer, one in part, and none."""
    in_part = f"{admin.partial} in part, " if admin.partial else ""
    return f"{admin.ok} answered, {in_part}{admin.failed - admin.partial} failed"


def bounds_text(bounds: Any) -> str | None:
    """Lower and upper bound in words, from a pair, a mapping, or text; None stays None."""
    if bounds is None or isinstance(bounds, str):
        return bounds
    if isinstance(bounds, Mapping):
        return ", ".join(f"{str(key).replace('_', ' ')} {number(value)}" for key, value in sorted(bounds.items()))
    if isinstance(bounds, list | tuple):
        return " to ".join(number(value) for value in bounds)
    return number(bounds)


def moment(text: str) -> datetime:
    """ISO 8601 text as a moment in UTC."""
    parsed = datetime.fromisoformat(text)
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def clock(at: datetime, ds: str) -> str:
    """`10:20`, with seconds where there are any, and with the date where it is another day than `ds`."""
    text = at.strftime("%H:%M:%S") if at.second else at.strftime("%H:%M")
    return text if at.date().isoformat() == ds else f"{at.date().isoformat()} {text}"


def span(start: str | None, end: str | None, ds: str) -> str:
    """`10:00 to 10:10 UTC`; empty where no time is given."""
    if start is None or end is None:
        return ""
    return f"{clock(moment(start), ds)} to {clock(moment(end), ds)} UTC"


def binary_size(size: float | None) -> str:
    """Bytes as `1.5 GiB` or `20.0 MiB`; `?` where there is no number."""
    if size is None:
        return "?"
    return f"{size / 2**30:,.1f} GiB" if size >= 2**30 / 10 else f"{size / 2**20:,.1f} MiB"
