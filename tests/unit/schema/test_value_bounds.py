"""Values that nobody can mean are null before Python sees them: moments beyond its calendar, numbers beyond sums."""

import pyarrow as pa

from kafka_fleet.schema.bounds import FIRST, LAST, MOST, within_bounds

UTC = pa.timestamp("us", tz="UTC")


def bounded(values: list, kind: pa.DataType, name: str = "x") -> list:
    return within_bounds(pa.table({name: pa.array(values, kind)}))[name].to_pylist()


def test_moments_that_python_cannot_hold_are_null() -> None:
    beyond = pa.array([2**62, -(2**62), 0, None], pa.int64()).cast(UTC)
    assert within_bounds(pa.table({"read_at": beyond}))["read_at"].to_pylist() == [None, None, FIRST, None]
    assert bounded([FIRST, LAST], UTC) == [FIRST, LAST]


def test_numbers_have_room_for_sums() -> None:
    assert bounded([MOST, MOST + 1, -MOST - 1, None, 7], pa.int64()) == [MOST, None, None, None, 7]
    assert bounded([float("inf"), float("nan"), -1e300, 2.5], pa.float64()) == [None, None, None, 2.5]


def test_other_columns_and_the_sweeps_own_names_stay() -> None:
    table = pa.table({"sweep_at": pa.array([2**61], pa.int64()).cast(UTC), "topic": ["a"], "isr": [[1]]})
    assert within_bounds(table).equals(table)
