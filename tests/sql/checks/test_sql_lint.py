"""No query holds what fails on a value: every file of sql/ is looked at, and every rule is shown to find its kind."""

from collections.abc import Iterator

import pytest

from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.plots import load_plots
from kafka_fleet.knowledge.signatures import load_signatures
from support.inspection.overflow import Query, Whole, overflows, raw_columns
from support.inspection.sql_lint import faults
from support.spark_runs.fact_schemas import fact_schemas

pytestmark = pytest.mark.xdist_group("lint")


def query(column: str) -> str:
    """A query that gives it on its third line."""
    return "\n".join(("SELECT", "    x,", f"    {column} AS y", "FROM t AS t"))


FILES = sorted(sql_dir().rglob("*.sql"))
UNFOLLOWED = {  # what a window, a generator, a list or `try_` gives: it has no bound, and may be null instead
    "look_steps.step", "commit_intervals.previous_offset", "out_of_sync_replicas.follower", "broker_assignments.broker",
    "broker_counters.consumer_fetches", "group_starts.previous_offset", "listener_connections.created",
    "listener_connections.closed", "listener_connections.failed_authentications", "listener_connections.blocked_ns",
    "offset_rewinds.from_committed_offset", "offset_rewinds.records_back", "out_of_sync_intervals.follower",
    "leaderless_partitions.last_in_sync", "request_versions.requests", "handler_intervals.requests",
    "group_changes.replaced",
}  # fmt: skip


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


def readers() -> Iterator[tuple[str, dict[str, str]]]:
    """The queries of each reader of facts, in their order."""
    for name, one in load_signatures(sql_dir()).items():
        others = {"needs": one.needs_query, "series": one.series_query}
        others |= {"subjects": one.subjects_query, "rows": one.rows_query}
        yield name, {view: text for view, text in (one.all_steps | others).items() if text}
    for name, condition in load_conditions(sql_dir()).items():
        yield name, {**condition.steps, "query": condition.query}
    for name, plot in load_plots(sql_dir()).items():
        yield name, {"query": plot.query, "missing": plot.missing_query}


def test_no_whole_number_of_any_query_overflows() -> None:
    known = raw_columns()
    found = [f"facts/{one}" for one in overflows(fact_queries(sql_dir()), known)]
    for name, queries in readers():
        found += [f"{name}/{one}" for one in overflows(queries, dict(known))]
    assert not found, "\n".join(found)
    whole = {
        f"{table}.{field.name}": known[table].get(field.name)
        for table in fact_queries(sql_dir())
        for field in fact_schemas()[table]
        if field.dataType.typeName() in ("integer", "long")
    }
    assert {name for name, bound in whole.items() if bound is None} == UNFOLLOWED, "the others are followed to here"


@pytest.mark.parametrize(
    ("overflow", "reason"),
    [
        ("try_sum(log_end_offset) - 1", "a sum is as large as can be"),
        ("8 * (log_end_offset - log_start_offset)", "staged numbers are up to 2^60"),
        ("log_end_offset * log_start_offset", "a product of two"),
        ("isr_count + replicas_count", "32 bits"),
        ("try_cast(topic AS BIGINT) + 1", "text may be any number"),
        ("coalesce(log_end_offset, 0) * 100", "through coalesce"),
        ("CASE WHEN topic = 'a' THEN log_end_offset ELSE 0 END * 100", "through CASE"),
        ("max(log_end_offset) OVER (PARTITION BY topic) * 100", "through a window"),
        ("w.a - 9223372036854775807", "through a WITH query and a star"),
    ],
)
def test_what_can_overflow_is_found(overflow: str, reason: str) -> None:
    made = [
        "WITH w AS (SELECT *, try_sum(size_bytes) AS a FROM raw_partitions)",
        query(overflow).replace("FROM t", "FROM w"),
    ]
    assert len(Query("\n".join(made), raw_columns()).found) == 1, reason


def test_what_cannot_overflow_is_let_through() -> None:
    text = """
        SELECT log_end_offset - log_start_offset + 1 AS a, count(*) - 1 AS b, try_subtract(try_sum(size_bytes), 1) AS c,
            2 * row_number() OVER (ORDER BY topic) AS d, 1e6D * log_end_offset * size_bytes AS e
        FROM raw_partitions"""
    made = Query(text, raw_columns())
    assert made.found == set()
    assert made.columns == {"a": Whole(2**61 + 1), "b": Whole(2**29 + 1), "c": None, "d": Whole(2**30, 31), "e": None}
