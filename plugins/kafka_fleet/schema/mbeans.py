"""The MBean table: takes `mbeans.yaml`, gives the reads to send and turns their answers into rows of raw tables."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

Value = int | float | str | None
Key = tuple[Value, ...]
PARTITIONS, BROKER = "partitions", "broker"
THREADING, THREAD_INFO = "java.lang:type=Threading", "getThreadInfo([J,int)"  # asked where threads are in a deadlock


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

    @property
    def operation(self) -> str | None:
        """What is called in place of attributes that are read: an operation without arguments; None: nothing is."""
        name = self.columns[0].attribute
        return name.removesuffix("()") if name.endswith("()") else None


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
    content = yaml.load(files(__package__).joinpath("mbeans.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
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


def requested_name(bean: Bean) -> str:
    """The name that is sent for a bean: a pattern over the logs is sent with its wildcards left open.

    A broker has ten such MBeans per replica, and the JVM compares a pattern with each of them, which takes it three
    times as long when the wildcards are named. What then comes too much has further properties: see `further`.
    """
    domain, _colon, rest = bean.mbean.partition(":")
    if domain not in ("kafka.log", "kafka.cluster") or "=*" not in rest:
        return bean.mbean
    return f"{domain}:{','.join([pair for pair in rest.split(',') if not pair.endswith('=*')] + ['*'])}"


@cache
def _named(bean: Bean) -> frozenset[str]:
    return frozenset(pair.partition("=")[0] for pair in bean.mbean.partition(":")[2].split(","))


def has_more_properties(bean: Bean, found: Mapping[str, str]) -> bool:
    """Whether a name has all properties of a bean's pattern and more, as the log has that a replica is moved to."""
    return not bean.mbean.endswith(",*") and found.keys() > _named(bean)


@cache
def _fixed(bean: Bean) -> tuple[tuple[str, str], ...]:
    """Properties that a bean's pattern gives a value, or a value with a wildcard in it."""
    pairs = (pair.split("=", 1) for pair in bean.mbean.partition(":")[2].split(",") if pair != "*")
    return tuple((key, value) for key, value in pairs if value != "*")


def matches_pattern(bean: Bean, name: str, found: Mapping[str, str]) -> bool:
    """Whether nothing in a name with these properties is against what a bean's pattern asks for."""
    if not name.startswith(bean.mbean.partition(":")[0] + ":"):
        return False
    return all(
        key not in found or found[key] == value or ("*" in value and fnmatchcase(found[key], value))
        for key, value in _fixed(bean)
    )


def answers_to(bean: Bean, value: Mapping[str, Any]) -> bool:
    """Whether the value of a read can be of this bean: a pattern's by its first name, a name's by its attributes.

    What has no name in it that can be read says nothing; it is judged entry by entry later.
    """
    first = next(iter(value), None)
    if first is None:
        return True
    if "*" not in bean.mbean:
        return any(column.attribute in value for column in bean.columns)
    try:
        return matches_pattern(bean, first, properties(first))
    except ValueError:
        return True


def readable() -> list[Bean]:
    """Beans of all tables whose attributes are read, as an exporter reads them: it calls no operation."""
    return [bean for table in tables().values() for bean in table.beans if bean.operation is None]


def read_request(bean: Bean) -> dict[str, Any]:
    """The Jolokia read of one bean, or the call of its operation."""
    if bean.operation is not None:
        return {"type": "exec", "mbean": bean.mbean, "operation": bean.operation}
    return {"type": "read", "mbean": requested_name(bean), "attribute": [column.attribute for column in bean.columns]}


_PROPERTY = re.compile(r'([^=,*?:"]+)=("(?:[^"\\]|\\.)*"|[^,"]*)(?:,|$)')
_ESCAPE = re.compile(r"\\(.)")


def unquoted(value: str) -> str:
    """The value of a property as it was before it was quoted."""
    if len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    return _ESCAPE.sub(lambda m: "\n" if m[1] == "n" else m[1], value[1:-1])


def properties(object_name: str) -> dict[str, str]:
    """Key properties of an ObjectName in any order, quoted values unquoted. Raises ValueError when it is none.

    A property that is there twice makes it none, as in Java: which of the two counts would be a guess.
    """
    _domain, separator, rest = object_name.partition(":")
    if not separator or not rest:
        raise ValueError(f"{object_name[:80]!r} is no object name")
    if '"' not in rest:
        pairs = [item.partition("=") for item in rest.split(",")]
        plain = {key: value for key, _middle, value in pairs}
        if len(plain) == len(pairs) and all(key and middle for key, middle, _value in pairs):
            return plain
        raise ValueError(f"{object_name[:80]!r} is no object name")
    found: dict[str, str] = {}
    place = 0
    while place < len(rest):
        match = _PROPERTY.match(rest, place)
        if match is None or match[1] in found:
            raise ValueError(f"{object_name[:80]!r} is no object name")
        found[match[1]] = unquoted(match[2])
        place = match.end()
    if rest.endswith(","):
        raise ValueError(f"{object_name[:80]!r} is no object name")
    return found
