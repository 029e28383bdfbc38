"""Cases of a signature: takes the YAML files of its folder, gives fact rows of a cluster per case and what to expect.

A case names rows of fact tables. A list in a scalar column makes one row per item; `intervals: n, every: s` repeats a
row over n consecutive spans of s seconds from `start` (10:00:00) of the day and fills in the columns of time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import yaml
from pyspark.sql.types import ArrayType, DateType, StructType, TimestampType

DAY = datetime(2026, 11, 20, tzinfo=UTC)
KINDS = {"fires", "healthy", "look_alike", "missing"}
Row = dict[str, Any]


@dataclass
class Case:
    """One state of a cluster, its fact rows as written, and what the signature has to say of it."""

    signature: str
    name: str
    about: str
    kind: str
    expect: Row
    given: dict[str, list[Row]] = field(default_factory=dict)
    brokers: int = 0
    thresholds: dict[str, float] = field(default_factory=dict)

    @property
    def cluster(self) -> str:
        """The cluster id under which the case runs."""
        return self.name.replace("_", "-")


def cases(folder: Path) -> list[Case]:
    """Every case of a signature's folder, by file name. Raises ValueError for a file that is none."""
    found = []
    for file in sorted((folder / "cases").glob("*.yaml")):
        content = yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
        case = Case(folder.name, file.stem, **content)
        if case.kind not in KINDS or not {"state", "detections", "missing"} >= set(case.expect) >= {"state"}:
            raise ValueError(f"{file}: kind: one of {sorted(KINDS)}; expect: state, detections, missing")
        found.append(case)
    return found


def _defaults(case: Case) -> dict[str, list[Row]]:
    """Rows of a cluster that was read without a fault, of as many brokers as the case names."""
    brokers = [
        {"broker": number, "advertised_host": f"broker-{number}", "is_broker": True, "kafka_release": "3.9.1",
         "rack": "", "was_active_controller": number == 1, "ok_reads": 12, "partial_reads": 0,
         "truncated_reads": 0, "failed_reads": 0, "listed_reads": 12, "failure_kinds": [], "failure_details": [],
         "missing_mbeans": []}
        for number in range(1, case.brokers + 1)
    ]  # fmt: skip
    about: Row = {
        "sweep_count": 12, "first_sweep": "10:00:00", "last_sweep": "11:00:00", "admin_ok": 12, "admin_partial": 0,
        "admin_failed": 0, "admin_details": [], "groups_read": True, "offsets_covered": 1.0,
        "declaration": "{}", "cluster_mode": "KRaft",
    }  # fmt: skip
    given = case.given.get("cluster_days", [{}])
    own = {str(row["broker"]): row for row in case.given.get("broker_days", [])}
    rows = [{**row, **own.pop(str(row["broker"]), {})} for row in brokers]
    return {"cluster_days": [{**about, **given[0]}], "broker_days": [*rows, *own.values()]}


def _moment(text: Any) -> Any:
    """`10:05:00` of the case's day; other moments are written whole."""
    if isinstance(text, str):
        text = datetime.combine(DAY, time.fromisoformat(text)) if len(text) <= 12 else datetime.fromisoformat(text)
    if isinstance(text, int):  # YAML reads 10:05:00 as a sexagesimal number of seconds
        text = DAY + timedelta(seconds=text)
    return text.replace(tzinfo=UTC) if isinstance(text, datetime) and text.tzinfo is None else text


def _repeated(row: Row, columns: set[str]) -> Iterator[Row]:
    count, every = row.pop("intervals", None), float(row.pop("every", 300))
    begin = _moment(row.pop("start", "10:00:00"))
    if count is None:
        yield row
        return
    for index in range(count):
        first, last = begin + timedelta(seconds=index * every), begin + timedelta(seconds=(index + 1) * every)
        times = {"from_sweep": first, "from_at": first, "to_sweep": last, "to_at": last, "sweep_at": last,
                 "read_at": last, "seconds": every}  # fmt: skip
        yield {**{name: value for name, value in times.items() if name in columns}, **row}


def _spread(row: Row, schema: StructType, where: str) -> Iterator[Row]:
    lists = {
        name: value
        for name, value in row.items()
        if isinstance(value, list) and not isinstance(schema[name].dataType, ArrayType)
    }
    lengths = {len(value) for value in lists.values()}
    if len(lengths) > 1:
        raise ValueError(f"{where}: the lists of a row have {sorted(lengths)} items")
    for index in range(lengths.pop() if lengths else 1):
        yield {**row, **{name: value[index] for name, value in lists.items()}}


def rows_of(case: Case, schemas: dict[str, StructType]) -> dict[str, list[Row]]:
    """Rows of every fact table that the case speaks of, complete by the table's schema; what is not given is null."""
    found: dict[str, list[Row]] = {}
    for table, given in {**case.given, **_defaults(case)}.items():
        if table not in schemas:
            raise ValueError(f"{case.signature}/{case.name}: no fact table {table}")
        schema, rows = schemas[table], []
        for row in given:
            where = f"{case.signature}/{case.name}: {table}"
            unknown = set(row) - set(schema.names) - {"intervals", "every", "start"}
            if unknown:
                raise ValueError(f"{where} has no column {', '.join(sorted(unknown))}")
            plain = {name: value for name, value in row.items() if name in ("intervals", "every", "start")}
            for one in _spread({n: v for n, v in row.items() if n not in plain}, schema, where):
                rows += [_typed(made, case, schema) for made in _repeated({**one, **plain}, set(schema.names))]
        found[table] = rows
    return found


def _typed(row: Row, case: Case, schema: StructType) -> Row:
    made = {name: row.get(name) for name in schema.names} | {"cluster": case.cluster}
    for column in schema:
        value = made[column.name]
        if value is not None and isinstance(column.dataType, TimestampType | DateType):
            made[column.name] = _moment(value)
        elif value is not None and column.dataType.typeName() in ("double", "float"):
            made[column.name] = float(value)
    return made
