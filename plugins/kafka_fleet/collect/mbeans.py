"""The MBean table: takes `mbeans.yaml`, gives the reads to send and turns their answers into rows of raw tables."""

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

Value = int | float | str | None
Key = tuple[Value, ...]
PARTITIONS, BROKER = "partitions", "broker"


class Column(NamedTuple):
    """One column of a raw table: its type (string, int, long, double), unit, first Kafka release, and source."""

    name: str
    type: str
    unit: str
    since: str
    mbean: str
    attribute: str
    lazy: bool


class Bean(NamedTuple):
    """One object name or pattern and the columns that its attributes become."""

    table: str
    request: str
    mbean: str
    columns: tuple[Column, ...]


class Table(NamedTuple):
    """One raw table filled over Jolokia. `keys` maps an MBean property to its key column and type."""

    name: str
    about: str
    keys: dict[str, tuple[str, str]]
    beans: tuple[Bean, ...]

    @property
    def columns(self) -> dict[str, Column]:
        """Columns by name; where several patterns fill one column, the first of them."""
        found: dict[str, Column] = {}
        for bean in self.beans:
            for column in bean.columns:
                found.setdefault(column.name, column)
        return found


@cache
def tables() -> dict[str, Table]:
    """Every table of mbeans.yaml by name."""
    content = yaml.safe_load(files(__package__).joinpath("mbeans.yaml").read_text(encoding="utf-8"))
    made = {}
    for table, spec in content.items():
        beans = tuple(
            Bean(
                table,
                spec["request"],
                mbean,
                tuple(
                    Column(name, kind, unit, str(since), mbean, attribute, "lazy" in lazy)
                    for name, (attribute, kind, unit, since, *lazy) in columns.items()
                ),
            )
            for mbean, columns in spec["beans"].items()
        )
        made[table] = Table(table, spec["about"], {p: (c, t) for p, (c, t) in spec["keys"].items()}, beans)
    return made


def beans(request: str) -> list[Bean]:
    """The beans of one of the two bulk reads, in file order: answers are matched to them by place."""
    return [bean for table in tables().values() for bean in table.beans if bean.request == request]


def mbean_of(table: str, column: str, part: str = "") -> str:
    """The object name or pattern behind a column, for evidence; the first whose text has `part`.

    Raises KeyError for a column that no MBean fills.
    """
    for bean in tables()[table].beans:
        if part in bean.mbean and any(one.name == column for one in bean.columns):
            return bean.mbean
    raise KeyError(f"{table}.{column}")


def read_request(bean: Bean) -> dict[str, Any]:
    """The Jolokia read of one bean."""
    return {"type": "read", "mbean": bean.mbean, "attribute": [column.attribute for column in bean.columns]}


_PROPERTY = re.compile(r'([^=,*?:"]+)=("(?:[^"\\]|\\.)*"|[^,"]*)(?:,|$)')
_ESCAPE = re.compile(r"\\(.)")


def properties(object_name: str) -> dict[str, str]:
    """Key properties of an ObjectName in any order, quoted values unquoted. Raises ValueError when it is none."""
    _domain, separator, rest = object_name.partition(":")
    if not separator or not rest:
        raise ValueError(f"{object_name[:80]!r} is no object name")
    if '"' not in rest:
        pairs = [item.partition("=") for item in rest.split(",")]
        if all(middle for _key, middle, _value in pairs):
            return {key: value for key, _middle, value in pairs}
        raise ValueError(f"{object_name[:80]!r} is no object name")
    found, place = {}, 0
    while place < len(rest):
        match = _PROPERTY.match(rest, place)
        if match is None:
            raise ValueError(f"{object_name[:80]!r} is no object name")
        value = match[2]
        if value.startswith('"'):
            value = _ESCAPE.sub(lambda m: "\n" if m[1] == "n" else m[1], value[1:-1])
        found[match[1]] = value
        place = match.end()
    return found


class Rows:
    """Rows of the raw tables of one broker, merged over beans by their keys, with a count of what was unusable."""

    def __init__(self) -> None:
        self.by_table: dict[str, dict[Key, dict[str, Value]]] = {name: {} for name in tables()}
        self.values = 0
        self.truncated = 0
        self.unusable = 0

    def items(self) -> Iterator[tuple[str, list[dict[str, Value]]]]:
        """Table name and its rows, the key columns included."""
        for name, rows in self.by_table.items():
            columns = [column for column, _kind in tables()[name].keys.values()]
            yield name, [{**dict(zip(columns, key, strict=True)), **row} for key, row in rows.items()]

    def add(self, bean: Bean, answer: Mapping[str, Any]) -> None:
        """Take the value of one read: {attribute: v} for a name, {object name: {attribute: v}} for a pattern."""
        if "*" not in bean.mbean:
            self._take(bean, {}, answer)
            return
        for name, attributes in answer.items():
            if not isinstance(attributes, Mapping):
                self.truncated += 1
                continue
            try:
                found = properties(name)
            except ValueError:
                self.unusable += 1
                continue
            self._take(bean, found, attributes)

    def add_absent(self, bean: Bean) -> bool:
        """Take "no such bean": 0 for columns that Kafka makes at the first event. False when it has none of them."""
        zeros = {column.attribute: 0 for column in bean.columns if column.lazy}
        if zeros:
            self._take(bean, {}, zeros)
        return bool(zeros)

    def _take(self, bean: Bean, found: Mapping[str, str], attributes: Mapping[str, Any]) -> None:
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


_LIMIT = "[Object limit exceeded"
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?|NaN|-?Infinity")
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
        whole = value if isinstance(value, int) else int(value) if isinstance(value, str) else _whole(value)
    except (ValueError, OverflowError):
        return None
    limit = _LIMITS[kind]
    return whole if whole is not None and -limit <= whole < limit else None


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) and value == int(value) else None
