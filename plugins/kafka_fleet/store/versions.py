"""What older versions wrote and newer ones may write: takes a file's content, gives it in today's form or refuses it.

Columns and members were only ever added, and are null or absent in what is older; RENAMED holds the one exception. All
that has a `schema_version` beyond SCHEMA_VERSION is refused with a sentence: half understood it would be misread.
"""

import json
from typing import Any

import pyarrow as pa

from kafka_fleet.schema.arrow import as_table
from kafka_fleet.schema.raw_tables import SCHEMA_VERSION, raw_schemas

# columns that files of the program's first hour call otherwise: table -> name there -> name
_GROUP, _MEMBER = {"group": "group_id"}, {"group": "group_id", "member": "member_id"}
RENAMED: dict[str, dict[str, str]] = {
    "groups": _GROUP,
    "group_offsets": _GROUP,
    "group_members": _MEMBER,
    "group_assignments": _MEMBER,
}


class NewerVersion(ValueError):
    """A file that a newer version of the program wrote; one sentence."""


def newer(version: object, what: str, newest: int = SCHEMA_VERSION) -> str | None:
    """The sentence on a schema_version beyond the newest that is known. Raises ValueError for one that is no number."""
    if not isinstance(version, int):
        raise ValueError(f"{what}: schema_version is no number")
    known = f"schema_version {version}, this one reads {newest}"
    return f"{what} was written by a newer version of this program ({known})" if version > newest else None


def refuse_newer(version: object, what: str, newest: int = SCHEMA_VERSION) -> None:
    """Raises NewerVersion with that sentence; ValueError as newer() does."""
    if sentence := newer(version, what, newest):
        raise NewerVersion(sentence)


def document(content: bytes, what: str) -> Any:
    """A stored JSON document, or list of them; `what` names it in a sentence. Raises NewerVersion and ValueError."""
    found = json.loads(content)
    for one in found if isinstance(found, list) else [found]:
        refuse_newer(one.get("schema_version", SCHEMA_VERSION) if isinstance(one, dict) else SCHEMA_VERSION, what)
    return found


def unknown_columns(table: str, rows: pa.Table) -> set[str]:
    """Columns of a raw file that this program does not know: to write its rows anew would lose them."""
    return set(rows.column_names) - set(raw_schemas()[table].names) - RENAMED.get(table, {}).keys()


def as_raw(table: str, rows: pa.Table) -> pa.Table:
    """Rows of a raw file under today's names, in today's columns; those that it lacks are null."""
    old = RENAMED.get(table, {})
    named = rows.rename_columns([old.get(name, name) for name in rows.column_names])
    return as_table([named], raw_schemas()[table], {})
