"""Foreign text made harmless: takes what a cluster supplied, gives text in which every character can be seen.

A group or client id may hold line breaks, direction overrides or ten thousand letters. Markup is the template's
affair (autoescape); this module takes care of what escaping leaves alone: the invisible and the endless.
"""

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from kafka_fleet.documents.document import Document

Kind = TypeVar("Kind", bound=Document)
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset("\u00a0\u115f\u1160\u2800\u3164\uffa0")  # letters and spaces without ink
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_POINTS = "points"  # a chart's times and figures: thousands of them, drawn and never printed as they are
_LONGEST = 20_000  # characters looked at; what is clipped to a line need not be read to its end
COMMAND_LIMIT = 2_000
_PROSE = frozenset({"workaround", "reason", "why", "steps", "separated_by", "declaration_error", "text"})


class _Seen(dict[int, str]):
    """Translation table that looks each character up once; `marks` are the combining ones among those met."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: set[str] = set()

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category in ("Mn", "Me"):
            self.marks.add(character)
        hidden = category in _HIDDEN or character in _BLANK
        self[code] = _NAMED.get(character, f"\\u{code:04x}") if hidden else character
        return self[code]


_SEEN = _Seen()


def visible(text: str) -> str:
    r"""The text with each control, format or unprintable character written as `\n` or `\u202e`.

    Of a pile of combining marks the third and later ones are written out too: they would cover other lines.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.translate(_SEEN)
    if _SEEN.marks.isdisjoint(text):
        return text
    shown: list[str] = []
    pile = 0
    for character in text:
        pile = pile + 1 if character in _SEEN.marks else 0
        shown.append(character if pile < 3 else f"\\u{ord(character):04x}")
    return "".join(shown)


def clip(text: str, limit: int) -> str:
    """At most about `limit` characters: head, ellipsis, tail and the true length, so that two long names differ."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail]}…{text[len(text) - tail :]} ({len(text):,} characters)"


def shorten(text: str, limit: int) -> str:
    """Foreign text in at most about `limit` visible characters, for a sentence: without its middle if longer."""
    seen = visible(text[:_LONGEST])
    return seen if len(seen) <= limit else f"{seen[: limit - limit // 3]}…{seen[len(seen) - limit // 3 :]}"


@lru_cache(maxsize=2048)  # a topic stands in many findings, and each size of letter asks again
def displayed(text: str, limit: int) -> str:
    """Foreign text ready for a letter: visible, and no longer than about `limit` characters."""
    if len(text) <= limit:
        return clip(visible(text), limit * 2)
    tail = limit // 4
    head = visible(text[: min(limit - tail, _LONGEST)])
    return f"{clip(head, limit)}…{clip(visible(text[len(text) - tail :]), limit)} ({len(text):,} characters)"


def clean(value: Any, limit: int) -> Any:
    """A JSON value with every string in it passed through `shown`. Prose and requests may be longer than names."""
    if isinstance(value, str):
        return displayed(value, limit)
    if isinstance(value, Mapping):
        return {k: item if k == _POINTS else clean(item, _limit(k, limit)) for k, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item, limit) for item in value]
    return value


def _limit(key: str, limit: int) -> int:
    if key in ("remeasure", "command"):
        return min(COMMAND_LIMIT, 20 * limit)
    return 4 * limit if key in _PROSE else limit


def cleaned(found: Kind, limit: int) -> Kind:
    """A document with every string in it passed through `displayed`, as `clean` does."""
    return found.changed(lambda content: dict(clean(content, limit)))
