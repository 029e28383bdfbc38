"""No query holds what fails on a value: every file of sql/ is looked at, and every rule is shown to find its kind."""

import pytest

from kafka_fleet.base.resources import sql_dir
from support.inspection.sql_lint import faults

pytestmark = pytest.mark.xdist_group("lint")  # no Spark


def query(column: str) -> str:
    """A query that gives it on its third line."""
    return "\n".join(("SELECT", "    x,", f"    {column} AS y", "FROM t AS t"))


FILES = sorted(sql_dir().rglob("*.sql"))


def test_no_query_holds_what_a_value_can_make_fail() -> None:
    assert len(FILES) > 100
    found = [f"{path.relative_to(sql_dir())}:{fault}" for path in FILES for fault in faults(path.read_text("utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("fails", "instead"),
    [
        ("cast(a AS INT)", "try_cast"),
        ("a::DOUBLE", "try_cast"),
        ("INT(a)", "try_cast"),
        ("cast('x' AS DECIMAL(28, 9))", "try_cast"),
        ("sum(a)", "try_sum"),
        ("sum(a) OVER (PARTITION BY b)", "try_sum"),
        ("sum(a) FILTER (WHERE b)", "try_sum"),
        ("avg(a)", "try_sum"),
        ("a / b", "try_divide"),
        ("a / (b - 1)", "try_divide"),
        ("a / 0", "try_divide"),
        ("a / coalesce(b, 1)", "try_divide"),
        ("a / greatest(b, 0)", "try_divide"),
        ("a % b", "nullif"),
        ("a DIV b", "nullif"),
        ("pmod(a, b)", "nullif"),
        ("split(a, '[.]')[1]", "get()"),
        ("a[b]", "get()"),
        ("element_at(a, 1)", "get()"),
        ("try_element_at(a, 0)", "get()"),
        ("elt(b, 'x')", "get"),
        ("timestamp_millis(a)", "_ms"),
        ("timestamp_millis(a_ms + b)", "_ms"),
        ("timestamp_micros(a)", "timestamp_millis"),
        ("timestamp_seconds(a)", "timestamp_millis"),
        ("to_date(a)", "moment"),
        ("to_timestamp(a)", "try_cast"),
        ("to_number(a, '999')", "try_to_number"),
        ("make_date(a, b, c)", "try_make_date"),
        ("raise_error(a)", "null"),
    ],
)
def test_what_can_fail_is_found_with_its_line(fails: str, instead: str) -> None:
    found = faults(query(fails))
    assert len(found) == 1, found
    line, _colon, sentence = found[0].partition(": ")
    assert instead in sentence
    assert line in ("1", "3")  # 1 where it names no column


@pytest.mark.parametrize(
    "safe",
    [
        "try_cast(a AS INT)",
        "cast(a AS STRING)",
        "cast(NULL AS BIGINT)",
        "cast(:b AS INT)",
        "1e6D",
        "try_sum(a) OVER (PARTITION BY b)",
        "try_divide(a, b)",
        "a / 1e6D",
        "a / -2",
        "a / :b",
        "a / nullif(b, 0)",
        "a / greatest(1.0D, b)",
        "a / count(*)",
        "a % 60",
        "pmod(a, nullif(b, 0))",
        "get(split(a, '[.]'), 1)",
        "a['name']",
        "timestamp_millis(coalesce(a_ms, b_ms) - CASE WHEN c > 5 THEN try_cast(1000 * d_s AS BIGINT) ELSE 0 END)",
        "to_date(sweep_at)",
    ],
)
def test_what_cannot_fail_is_let_through(safe: str) -> None:
    assert faults(query(safe)) == []
