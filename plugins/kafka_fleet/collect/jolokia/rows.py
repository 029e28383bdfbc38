"""Rows of one broker: takes the values of its reads, gives the rows of raw tables, merged over beans by their keys.

Each value is judged by itself, one by one; the big answers that `columns` could read as a whole come as parts.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from kafka_fleet.collect.jolokia import columns
from kafka_fleet.schema.mbeans import Bean, Key, Value, has_more_properties, matches_pattern, properties, tables


class Rows:
    """Rows of the raw tables of one broker, with a count of what was unusable.

    `by_table` has the rows that were taken one by one, `parts` the columns that were read as a whole.
    """

    def __init__(self) -> None:
        self.by_table: dict[str, dict[Key, dict[str, Value]]] = {name: {} for name in tables()}
        self.parts: dict[str, list[columns.Part]] = {}
        self.values = 0
        self.truncated = 0
        self.unusable = 0
        self.deadlocked: list[int] = []  # ids of threads that wait for each other
        self.incomplete = False  # a whole column of the replicas could not be read

    def items(self) -> Iterator[tuple[str, list[dict[str, Value]] | pa.Table]]:
        """Table name and its rows, as of_table gives them."""
        for name in self.by_table:
            yield name, self.of_table(name)

    def of_table(self, name: str) -> list[dict[str, Value]] | pa.Table:
        """Rows of a table, the key columns included; as an Arrow table where parts of it came as columns."""
        if name in self.parts:
            return columns.merged(name, self._all_parts(name))
        keys = [column for column, _kind in tables()[name].keys.values()]
        return [{**dict(zip(keys, key, strict=True)), **row} for key, row in self.by_table[name].items()]

    def _all_parts(self, table: str) -> list[columns.Part]:
        """Every column of a table as a part, in the order of its beans."""
        whole = {part.bean: part for part in self.parts[table]}
        rows, found = self.by_table[table], []
        for bean in tables()[table].beans:
            if bean in whole:
                found.append(whole[bean])
            elif rows:
                found.append(columns.from_rows(bean, rows))
        return found

    def has(self, table: str) -> bool:
        """Whether a table has any row."""
        return bool(self.by_table[table]) or table in self.parts

    def count(self, table: str, column: str) -> int:
        """Rows of a table that were answered for in a column."""
        whole = sum(len(part.values) for part in self.parts.get(table, ()) if part.bean.columns[0].name == column)
        return whole + sum(column in row for row in self.by_table[table].values())

    def add_part(self, part: columns.Part) -> None:
        """Take the values of one pattern that were read as a column."""
        self.parts.setdefault(part.bean.table, []).append(part)
        self.values += len(part.values)

    def add(self, bean: Bean, answer: Mapping[str, Any]) -> None:
        """Take the value of one read: {attribute: v} for a name, {object name: {attribute: v}} for a pattern."""
        if "*" not in bean.mbean:
            self.take(bean, {}, answer)
            return
        for name, attributes in answer.items():
            if not isinstance(attributes, Mapping):
                self.truncated += attributes is not TWICE
                self.unusable += attributes is TWICE
                continue
            try:
                found = properties(name)
            except ValueError:
                self.unusable += 1
                continue
            if not matches_pattern(bean, name, found):
                self.unusable += 1  # another MBean than the pattern asks for
            elif not has_more_properties(bean, found):
                self.take(bean, found, attributes)

    def add_absent(self, bean: Bean) -> bool:
        """Take "no such bean": 0 for columns that Kafka makes at the first event. False when it has none of them."""
        zeros = {column.attribute: 0 for column in bean.columns if column.lazy}
        if zeros:
            self.take(bean, {}, zeros)
        return bool(zeros)

    def spoil(self, bean: Bean, found: Mapping[str, str], name: str) -> None:
        """Take a value back: it was given twice, and which of the two counts would be a guess."""
        kinds = tables()[bean.table].keys.items()
        key = tuple(_convert(found.get(own), kind) for own, (_column, kind) in kinds)
        if (row := self.by_table[bean.table].get(key)) is not None and row.get(name) is not None:
            row[name] = None
            self.unusable += 1

    def take(self, bean: Bean, found: Mapping[str, str], attributes: Mapping[str, Any]) -> None:
        """Take attributes of one MBean whose properties are known."""
        table = tables()[bean.table]
        keys: list[Value] = []
        for property_name, (_column, kind) in table.keys.items():
            value = _convert(found.get(property_name), kind)
            negative = isinstance(value, int) and value < 0  # no partition or processor has such a number
            if negative or (value is None and property_name not in ("version",)):
                self.unusable += 1
                return
            keys.append(value)
        row = self.by_table[bean.table].setdefault(tuple(keys), {})
        for column in bean.columns:
            raw = attributes.get(column.attribute)
            if raw is None or (isinstance(raw, str) and raw.startswith("ERROR: ")):
                continue
            text = isinstance(raw, str) and column.type != "string" and not _NUMBER.fullmatch(raw)
            if text or (isinstance(raw, str) and raw.startswith(_LIMIT)):
                self.truncated += 1  # the agent's own limits answer with text where the value belongs
                continue
            if column.name in row:
                self.unusable += 1  # a second answer for the same cell; the first one stays
                continue
            converted = _convert(raw, column.type)
            self.values += 1
            if converted is None:
                self.unusable += 1
            row[column.name] = converted


TWICE: list[Any] = []  # stands for the values of a name that a JSON object has twice
_LIMIT = "[Object limit exceeded"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|NaN|-?Infinity")
_WHOLE = re.compile(r"-?[0-9]{1,20}")  # Python's int() reads 1_2 as 12, and digits of every script
_SURROGATE = re.compile("[\ud800-\udfff]")
_LIMITS = {"int": 2**31, "long": 2**63}


def _convert(value: Any, kind: str) -> Value:
    """A JSON value as the column's type; None for what it cannot be (NaN, infinity, out of range, wrong kind)."""
    if value is None or isinstance(value, bool | list | dict):
        return None
    if kind == "string":
        text = str(value)
        return text if not _SURROGATE.search(text) else None  # half a character: no UTF-8 and no Parquet can hold it
    try:
        if kind == "double":
            number = float(value)
            return number if math.isfinite(number) else None
        if isinstance(value, str) and not _WHOLE.fullmatch(value):
            return None
        whole = value if isinstance(value, int) else int(value) if isinstance(value, str) else _whole(value)
    except (ValueError, OverflowError):
        return None
    limit = _LIMITS[kind]
    return whole if whole is not None and -limit <= whole < limit else None


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) and value == int(value) else None
