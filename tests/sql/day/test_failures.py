"""What a failed query says of itself: whether rows can have done it, and Spark's name of the condition, no value."""

from pathlib import Path

import pytest

from fleet_spark.failures import QueryFailed, running
from support.spark_runs.analysed import spark

LARGEST = "CAST(9223372036854775807 AS BIGINT)"
DATA = {
    "CAST_OVERFLOW": "CAST(9.0D * pow(10, 20) * id AS BIGINT)",
    "ARITHMETIC_OVERFLOW": f"id + {LARGEST}",
    "CAST_INVALID_INPUT": "CAST(concat('secret ', id) AS INT)",
    "INVALID_ARRAY_INDEX": "split(CAST(id AS STRING), 'x')[id]",
    "DIVIDE_BY_ZERO": "1 / (id - 1)",
    "USER_RAISED_EXCEPTION": "raise_error(concat('secret ', id))",
    "ArithmeticException": f"timestamp_millis({LARGEST} * id)",  # Spark has no condition for it
    "ValueError": "timestamp_millis(1000000000000000 * id)",  # the year 33658, which Python does not have
}


@pytest.mark.parametrize("condition", DATA)
def test_a_value_that_an_expression_does_not_take(condition: str) -> None:
    with pytest.raises(QueryFailed) as failed, running("q"):
        spark().sql(f"SELECT {DATA[condition]} FROM range(1, 2)").collect()  # noqa: S608
    assert (failed.value.condition, failed.value.kind) == (condition, "data")
    assert str(failed.value) == f"the query `q` failed ({condition})"


def test_a_query_that_is_broken_is_not_data() -> None:
    with pytest.raises(QueryFailed) as failed, running("q"):
        spark().sql("SELECT no_such_column FROM range(1)")
    assert (failed.value.condition, failed.value.kind) == ("UNRESOLVED_COLUMN.WITH_SUGGESTION", "other")


def test_a_disk_is_the_machine_and_goes_through_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Exception, match="file") as failed, running("q"):
        spark().range(2).write.parquet(str(tmp_path / "file/below"))
    assert not isinstance(failed.value, QueryFailed)


def test_what_a_query_within_a_query_said_is_kept() -> None:
    with pytest.raises(QueryFailed, match="inner"), running("outer"), running("inner"):
        raise ValueError
