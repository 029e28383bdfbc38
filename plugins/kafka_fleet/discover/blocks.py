"""Blocks of the fleet file: takes a cluster that a source knows, gives its lines and whether they can be used.

A block that lacks a required key, or would be a mistake there, is a comment: a fleet file is never broken by it.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from kafka_fleet.base.text import one_line
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.discover.block_lines import (
    FILL_IN,
    Defaults,
    agents_lines,
    connection_lines,
    login_of,
    plain,
    required_lines,
    written,
)
from kafka_fleet.discover.found import Found, Listener, Wanted, chosen


class Block(NamedTuple):
    """One block. lines: without the indentation of the list; entry: its data; complete: it is no comment."""

    id: str
    found: Found
    entry: dict[str, Any]
    lines: Sequence[str]
    complete: bool


def marker(label: str, origin: str) -> str:
    """The line above a block that says where it is from. label: the source, with its prefix."""
    return f"# discover {label}: {one_line(origin, 600)}"


def _of_listeners(found: Found, listener: Listener, entry: dict[str, Any]) -> list[str]:
    notes = [f"listener {listener.words()}"] if listener.name else []
    for one in found.listeners:
        if one is not listener:
            notes.append(f"not used: listener {one.words()} {','.join(one.servers) or 'address not known'}")
    if "kafka_connection" in entry:
        notes += [f"connection {entry['kafka_connection']}: {login_of(listener)}", *found.login_notes]
    return notes


def _mistakes(entry: dict[str, Any]) -> list[str]:
    errors = parse_fleet({"version": 1, "clusters": [entry]}, "").errors
    return [f"mistake: {one.field}: {one_line(one.problem, 300)}" for one in errors]


def block(found: Found, name: str, label: str, wanted: Wanted, defaults: Defaults) -> Block:
    """The block of a cluster by its id. label: the source, with its prefix."""
    listener = chosen(found.listeners, wanted)
    entry: dict[str, Any] = {"id": name}
    body = [
        *required_lines(found, entry, defaults, listener),
        *connection_lines(listener, entry),
        *agents_lines(found, entry),
    ]
    notes = [*found.notes, *(_of_listeners(found, listener, entry) if listener is not None else ())]
    if wanted.listener and (listener is None or listener.name != wanted.listener):
        notes.append(f"there is no listener {wanted.listener}: another one is used")
    missing = any(line.missing for line in body)
    mistakes = [] if missing else _mistakes(entry)
    if missing or mistakes:
        what = f"replace each {FILL_IN}" if missing else "mend what is wrong"
        notes.append(f'not in use yet: {what}, and take "# " from the lines below')
    texts = [written(line) for line in body]
    lines = [f"- id: {plain(name)}", *(f"  {text}" for text in texts)]
    if missing or mistakes:
        lines = [f"# {line}" for line in lines]
    said = [f"# {one_line(note, 500)}" for note in (*notes, *mistakes)]
    return Block(name, found, entry, [marker(label, found.origin), *said, *lines], not missing and not mistakes)


def waiting_ids(text: str) -> set[str]:
    """Ids of blocks that stand in a fleet file as comments."""
    return set(re.findall(r"^[ \t]*#[ \t]*- id: \"?([a-z0-9-]{1,63})\"?[ \t]*$", text, re.MULTILINE))
