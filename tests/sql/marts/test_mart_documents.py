"""What is said of the marts holds: every column is described, no two rows share a grain, null is where it may be."""

from collections import Counter

import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import DoubleType, IntegerType, LongType

from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.marts import load_marts
from support.generators.fleetgen.shape import DS
from support.generators.generated import Generated
from support.spark_runs.fact_schemas import fact_schemas

pytestmark = pytest.mark.timeout(1800)
NUMBERS = (DoubleType, IntegerType, LongType)
NAMES = {
    "broker",
    "leader",
    "follower",
    "partition",
    "coordinator",
    "from_broker",
    "offsets_partition",
    "producer_id",
}  # of things


def test_every_mart_is_described_and_nothing_else() -> None:
    assert set(load_marts()) == set(fact_queries(sql_dir()))


@pytest.mark.parametrize("table", sorted(load_marts()))
def test_the_columns_are_those_of_the_query_and_numbers_have_a_unit(table: str) -> None:
    one, schema = load_marts()[table], fact_schemas()[table]
    assert list(one.columns) == schema.fieldNames()
    bare = [f.name for f in schema if isinstance(f.dataType, NUMBERS) and one.columns[f.name].unit is None]
    assert set(bare) <= NAMES, "numbers without a unit"


@pytest.mark.parametrize("table", sorted(load_marts()))
def test_rows_of_generated_fleets_keep_grain_and_nulls(fleets: Generated, table: str) -> None:
    one = load_marts()[table]
    rows = pq.read_table(fleets.home / f"facts/{table}/ds={DS}/g0001").to_pylist()
    twice = [key for key, n in Counter(tuple(str(row[name]) for name in one.grain) for row in rows).items() if n > 1]
    assert twice == [], f"more than one row of {one.grain}"
    nulls = {name for row in rows for name, value in row.items() if value is None} - {"ds"}
    assert {name for name in nulls if one.columns[name].null is None} == set(), "null where none is described"
