"""No whole number of a query outgrows its type: each is followed from the raw columns to every reader of facts."""

from collections.abc import Iterator

import pytest

from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.plots import load_plots
from kafka_fleet.knowledge.signatures import load_signatures
from support.inspection.overflow import Query, Whole, overflows, raw_columns
from support.spark_runs.fact_schemas import fact_schemas

UNFOLLOWED = {  # what a window, a generator, a list or `try_` gives: it has no bound, and may be null instead
    "look_steps.step", "commit_intervals.previous_offset", "out_of_sync_replicas.follower", "broker_assignments.broker",
    "broker_counters.consumer_fetches", "group_starts.previous_offset", "listener_connections.created",
    "listener_connections.closed", "listener_connections.failed_authentications", "listener_connections.blocked_ns",
    "offset_rewinds.from_committed_offset", "offset_rewinds.records_back", "out_of_sync_intervals.follower",
    "leaderless_partitions.last_in_sync", "request_versions.requests", "handler_intervals.requests",
    "group_changes.replaced",
}  # fmt: skip


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


@pytest.mark.xdist_group("jvm")
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
    made = "WITH w AS (SELECT *, try_sum(size_bytes) AS a FROM raw_partitions) SELECT x, {} AS y FROM w AS t"
    assert len(Query(made.format(overflow), raw_columns()).found) == 1, reason


def test_what_cannot_overflow_is_let_through() -> None:
    text = """
        SELECT log_end_offset - log_start_offset + 1 AS a, count(*) - 1 AS b, try_subtract(try_sum(size_bytes), 1) AS c,
            2 * row_number() OVER (ORDER BY topic) AS d, 1e6D * log_end_offset * size_bytes AS e
        FROM raw_partitions"""
    made = Query(text, raw_columns())
    assert made.found == set()
    assert made.columns == {"a": Whole(2**61 + 1), "b": Whole(2**29 + 1), "c": None, "d": Whole(2**30, 31), "e": None}
