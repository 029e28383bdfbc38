"""Big answers as columns: takes the JSON text of one pattern's value, gives arrays without an object per value.

A broker with many replicas answers one pattern with tens of thousands of equal entries. Those are cut and matched by
Arrow, outside the interpreter's lock. An answer with a single entry of any other form is left to `mbeans.Rows`, which
judges entry by entry; what both can read comes out the same.
"""

import re
import struct
from collections import Counter
from functools import cache
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

SMALL = 16 * 1024  # bytes; below it, entry by entry is as fast
_BETWEEN = b'},"'
# exactly what the far side writes for a Kafka name and for a whole number in range; anything else is judged one by one
_TEXT, _PARTITION = r"[A-Za-z0-9._-]+", r"0|[1-9][0-9]{0,8}"
_WHOLE = {"int": r"-?(?:0|[1-9][0-9]{0,8})", "long": r"-?(?:0|[1-9][0-9]{0,17})"}
_TYPES = {"string": pa.string(), "int": pa.int32(), "long": pa.int64()}


class Part(NamedTuple):
    """One column of a raw table: its key columns, each key joined into one text (all differ), and the values."""

    bean: Bean
    keys: list[pa.Array]
    key: pa.Array
    values: pa.Array


@cache
def _readable(bean: Bean) -> bool:
    """Whether a bean is a column of whole numbers per topic that it alone fills, its keys all wildcards."""
    table = mbeans.tables()[bean.table]
    filled = Counter(column.name for one in table.beans for column in one.columns)
    return (
        all(len(one.columns) == 1 for one in table.beans)
        and bean.columns[0].type in _WHOLE
        and filled[bean.columns[0].name] == 1
        and "topic" in table.keys
        and not bean.mbean.endswith(",*")
        and all(f"{name}=*" in bean.mbean for name in table.keys)
    )


def _pattern(bean: Bean, name: str) -> str | None:
    """The expression for entries named like the first one, in its order of properties; None when that is no match."""
    domain, _colon, wanted = bean.mbean.partition(":")
    values = dict(pair.split("=", 1) for pair in wanted.split(","))
    kinds = mbeans.tables()[bean.table].keys
    try:
        order = list(mbeans.properties(name))
    except ValueError:
        return None
    if sorted(order) != sorted(values):
        return None
    parts = []
    for place in order:
        if values[place] == "*":
            text = _TEXT if kinds[place][1] == "string" else _PARTITION
            parts.append(f"{re.escape(place)}=(?P<{place}>{text})")
        else:
            parts.append(re.escape(f"{place}={values[place]}"))
    column = bean.columns[0]
    value = rf'":\{{"{re.escape(column.attribute)}":(?P<value>{_WHOLE[column.type]})'
    return f"^{re.escape(domain)}:{','.join(parts)}{value}$"


def read_columns(bean: Bean, text: memoryview) -> Part | None:
    """The column in the JSON text of a value; None for a small text, or one that is not of the one form throughout."""
    if len(text) < SMALL or not _readable(bean) or bytes(text[:2]) != b'{"' or bytes(text[-2:]) != b"}}":
        return None
    name = bytes(text[2:4096]).partition(b'"')[0].decode("ascii", "replace")
    pattern = _pattern(bean, name)
    if pattern is None:
        return None
    inner = pa.py_buffer(text[2:-2])
    whole = pa.LargeStringArray.from_buffers(1, pa.py_buffer(struct.pack("<qq", 0, inner.size)), inner)
    found = pc.extract_regex(pc.split_pattern(whole, _BETWEEN.decode()).flatten(), pattern)
    if found.null_count:
        return None
    fields = {field.name: found.field(place).cast(pa.string()) for place, field in enumerate(found.type)}
    kinds = mbeans.tables()[bean.table].keys
    texts = [fields[name] for name in kinds]
    key = pc.binary_join_element_wise(*texts, ",") if len(texts) > 1 else texts[0]
    if pc.count_distinct(key).as_py() != len(key):
        return None  # two names for one row: which one stays is a rule of its own
    keys = [array.cast(_TYPES[kind]) for array, (_column, kind) in zip(texts, kinds.values(), strict=True)]
    return Part(bean, keys, key, fields["value"].cast(_TYPES[bean.columns[0].type]))


def merged(table: str, parts: list[Part]) -> pa.Table:
    """The parts of one table side by side: a row per key in order of first appearance, null where a part lacks it."""
    names = [column for column, _kind in mbeans.tables()[table].keys.values()]
    keys, key = parts[0].keys, parts[0].key
    for part in parts[1:]:
        new = pc.is_null(pc.index_in(part.key, value_set=key))
        if pc.any(new).as_py():
            keys = [pa.concat_arrays([have, more.filter(new)]) for have, more in zip(keys, part.keys, strict=True)]
            key = pa.concat_arrays([key, part.key.filter(new)])
    columns = dict(zip(names, keys, strict=True))
    for part in parts:
        columns[part.bean.columns[0].name] = part.values.take(pc.index_in(key, value_set=part.key))
    return pa.table(columns)


def from_rows(bean: Bean, rows: dict[mbeans.Key, dict[str, mbeans.Value]]) -> Part:
    """The same column of rows that were taken one by one; a row without it has null."""
    kinds = [_TYPES[kind] for _column, kind in mbeans.tables()[bean.table].keys.values()]
    keys = [pa.array([key[place] for key in rows], kind) for place, kind in enumerate(kinds)]
    texts = [array.cast(pa.string()) for array in keys]
    key = pc.binary_join_element_wise(*texts, ",") if len(texts) > 1 else texts[0]
    column = bean.columns[0]
    return Part(bean, keys, key, pa.array([row.get(column.name) for row in rows.values()], _TYPES[column.type]))
