"""Words for a mistake in a file: takes pydantic's errors, keys and values, gives one line each that can be printed.

What an editor of the file wrote is shown only when it can hold no secret, and never with a control character in it.
"""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

_PLAIN = re.compile(r"[\w.*-]{1,80}")
_LONGEST = 300  # characters of a sentence that quotes the file


HIDDEN = "the value is not shown, it may hold a secret"


def instead_of(value: Any, mail: bool = False) -> str:
    """The end of a sentence on what must be: what is there instead, where it can be shown."""
    text = redacted_value(value, mail)
    return f"; {text}" if text == HIDDEN else f", not {text}"


def redacted_value(value: Any, mail: bool = False) -> str:
    """A value for a sentence: a scalar in one line; what may hold a secret, or is long, is not shown."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    text = repr(value) if isinstance(value, str | int | float) else type(value).__name__
    if re.search(r"[?#=]|pass|secret|jaas|token|key" + ("" if mail else "|@"), text, re.IGNORECASE):
        return HIDDEN
    return text if len(text) <= 80 else text[:77] + "..."


def closest(name: Any, known: Iterable[Any], like: float = 0.6) -> str | None:
    """The known name that was probably meant: the only one that begins so, else the most like it."""
    text = str(name).casefold()
    names = {str(one).casefold(): str(one) for one in known}
    begun = [one for one in names if len(text) >= 3 and one.startswith(text)]
    close = begun if len(begun) == 1 else get_close_matches(text, list(names), n=1, cutoff=like)
    return names[close[0]] if close else None


def did_you_mean(name: Any, known: Iterable[Any]) -> str:
    """`; did you mean owners?`, or nothing where no known name is like it. Only what is known is ever shown."""
    found = closest(name, known)
    return f"; did you mean {found}?" if found else ""


def unknown_name(problem: str, name: Any, known: Iterable[str]) -> str:
    """The sentence for a name that does not exist: the one that was probably meant, and all that do exist."""
    names = list(known)
    return f"{problem}{did_you_mean(name, names) or ';'} allowed: {', '.join(names)}"


def field_location(parts: tuple[Any, ...], whole: str = "entry") -> str:
    """A location as dotted text; a key that is no plain word is quoted, or left out where it may hold a secret."""
    kept = [str(part) for part in parts if part != "[key]"]
    return ".".join(part if _PLAIN.fullmatch(part) else f"({redacted_value(part)})" for part in kept) or whole


def without_misspelled(found: list[Any], known: Callable[[tuple[Any, ...]], Iterable[str]]) -> list[Any]:
    """pydantic's errors, less those of a key that is missing because it is misspelled. known: the keys of a place."""
    unknown = [one["loc"] for one in found if one["type"] == "extra_forbidden"]
    meant = {(*place[:-1], closest(place[-1], known(place[:-1]))) for place in unknown}
    return [one for one in found if one["type"] != "missing" or one["loc"] not in meant]


def counted_location(content: Any, location: tuple[Any, ...], whole: str = "entry") -> str:
    """A location in words, `owners, entry 1`: items of lists are counted as people do. content: what it is in."""
    words: list[str] = []
    plain: list[Any] = []
    for part in location:
        if isinstance(content, list) and isinstance(part, int):
            words += [field_location(tuple(plain)), f"entry {part + 1}"]
            plain, content = [], content[part]
        else:
            plain.append(part)
            content = content.get(part, content) if isinstance(content, dict) else content
    return ", ".join([*words, field_location(tuple(plain), whole)] if plain or not words else words)


def printable_message(message: str) -> str:
    """What a validator says, in one line that can be printed."""
    text = message.removeprefix("Value error, ").replace("Extra inputs are not permitted", "unknown key")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def describe_errors(error: ValidationError, whole: str) -> list[str]:
    """One sentence per mistake: its field, or `whole` for all of it, and what is wrong; never the value."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return [f"{field_location(one['loc'], whole)}: {printable_message(one['msg'])}" for one in found]
