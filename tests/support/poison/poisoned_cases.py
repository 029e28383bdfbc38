"""The cases of signatures with poisoned facts: takes a signature's cases, gives the rows of clusters like them.

A case's rows make the whole signature run, which few recorded days do. Facts bear less than raw does: times are those
of sweeps and reads, which are staged, and a whole number is as large as `overflow.py` finds that it can get.
"""

import random
from datetime import datetime
from functools import cache
from typing import Any

from pyspark.sql.types import (
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from support.builders.cases import Case, Row, rows_of
from support.inspection.overflow import Columns, overflows, raw_columns
from support.poison.attacks import INT, KEYS, LONG

_OF_FACTS: dict[type[DataType], tuple[Any, ...]] = {
    DoubleType: (1e18, -1e18, 1e-9, None, 0.0, -1.0, 1e300, float("inf"), float("nan")),
    StringType: (None, "", "x", "9" * 40),
    TimestampType: (None, datetime(1741, 1, 1), datetime(2428, 12, 31)),
}
_KEPT = {*KEYS, "cluster", "kind", "from_sweep", "to_sweep", "sweep_at", "same_process", "cause", "error", "software"}


@cache
def _bounds() -> dict[str, Columns]:
    known = raw_columns()
    list(overflows(fact_queries(sql_dir()), known))
    return known


def _values(table: str, field: StructField) -> tuple[Any, ...]:
    if not isinstance(field.dataType, LongType | IntegerType):
        return _OF_FACTS.get(type(field.dataType), ())
    found = _bounds()[table].get(field.name)
    most = min(found.most, LONG if isinstance(field.dataType, LongType) else INT) if found else 2**30
    return most - 1, -most, None, 0, -1, 1


def poisoned(case: Case, schemas: dict[str, StructType], seed: int) -> dict[str, list[Row]]:
    """The case's rows under a cluster id of their own, a part of their values replaced by the ends of what may be."""
    drawn = random.Random(f"{case.signature} {case.name} {seed}")  # noqa: S311  # repeatable, and no secret
    share = drawn.choice((0.03, 0.15, 0.5))
    found = {}
    for table, rows in rows_of(case, schemas).items():
        cells = [one for one in schemas[table] if one.name not in _KEPT and _values(table, one)]
        chosen = [one for one in cells if drawn.random() < 2 * share]
        made = []
        for row in rows:
            new = {**row, "cluster": cluster(case, seed)}
            for field in chosen:
                if drawn.random() < 0.7:
                    new[field.name] = drawn.choice(_values(table, field))
            made.append(new)
        found[table] = made
    return found


def cluster(case: Case, seed: int) -> str:
    """The id of a case's cluster, poisoned by a seed."""
    return f"{case.signature}-{case.name}-{seed}".replace("_", "-")
