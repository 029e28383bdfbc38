"""Entries of the acknowledgements one by one: takes a file that is no YAML as a whole, gives each entry by itself.

Between `acknowledgements:` and its end a line that begins with the first dash's indentation and a dash begins an entry.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.base.yaml import MAX_BYTES, FleetFileError, parse_yaml

ENTRY_BYTES = 2**20  # an entry at every bound has a quarter of it
LONGEST = 4 * MAX_BYTES  # of a file that is looked at; of its entries, MAX_BYTES in all are parsed
MOST = 20_000  # entries
_LIST = re.compile(rb"^acknowledgements:[ \t]*(#.*)?\r?\n", re.MULTILINE)
_FIRST = re.compile(rb"(?:[ \t]*(?:#.*)?\r?\n)*( *)-[ \r\n]")  # blank lines and comments may stand before it
_CLUSTER = re.compile(rb"^[ -]*cluster:[ \t]*['\"]?([a-z0-9-]{1,63})['\"]?[ \t]*\r?$", re.MULTILINE)


class Broken(NamedTuple):
    """An entry that cannot be parsed: the rest of a sentence, and its cluster where that can be read all the same."""

    sentence: str
    cluster: str | None


def _entry(raw: bytes, path: Path) -> Any:
    named = _CLUSTER.search(raw)
    cluster = named[1].decode() if named else None
    if len(raw) > ENTRY_BYTES:
        return Broken(f"is larger than {ENTRY_BYTES // 2**20} MiB", cluster)
    try:
        found = parse_yaml(raw.decode(), path)
    except UnicodeDecodeError:
        return Broken("is not UTF-8 text", cluster)
    except FleetFileError as error:
        return Broken(str(error).removeprefix(f"{error.place}: "), cluster)
    return found[0] if isinstance(found, list) and len(found) == 1 else Broken("is no entry of the list", cluster)


def entries_apart(path: Path) -> list[Any] | None:
    """The parsed entries in their order, each that cannot be parsed as `Broken`; None where it is no such list."""
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
    except OSError:
        return None
    listed = _LIST.search(content)
    first = _FIRST.match(content, listed.end()) if listed else None
    if listed is None or first is None or len(content) > LONGEST:
        return None
    try:
        if parse_yaml(content[: listed.start()].decode(), path) != {"version": 1}:
            return None
    except (FleetFileError, UnicodeDecodeError):
        return None
    starts = [one.start() for one in re.finditer(rb"^%s-(?=[ \r\n])" % first[1], content[listed.end() :], re.MULTILINE)]
    body, parsed = content[listed.end() :], 0
    entries: list[Any] = []
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        raw = body[start:end]
        parsed += len(raw) if len(raw) <= ENTRY_BYTES else 0
        if len(entries) == MOST or parsed > MAX_BYTES:
            return [*entries, Broken("and those after it are too many to be read", None)]
        entries.append(_entry(raw, path))
    return entries
