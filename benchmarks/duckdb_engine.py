"""The same queries on DuckDB: takes a home and a day, runs all fact tables and signatures over the same raw files.

The SQL is the project's own, written for Spark and translated by sqlglot; what DuckDB has no function for is a macro.
"""

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp

from fleet_spark.coverage import thresholds_table
from fleet_spark.facts import CLOCK_SECONDS, START_HOURS, fact_queries
from fleet_spark.tables import EARLIER_DAYS
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.needs import Coverage, Shown, coverage
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.schema.raw_tables import EARLIER, STATES, raw_schemas, raw_views
from kafka_fleet.store.raw.earlier_sweeps import earlier_sweeps
from kafka_fleet.store.raw.manifests import manifests

_MACROS = (
    "timestamp_millis(x) AS to_timestamp(x / 1000.0)",
    "arrays_overlap(a, b) AS list_has_any(a, b)",
    "get(list, i) AS list[i + 1]",
    "pmod(a, b) AS ((a % b) + b) % b",
    "xxhash64(x) AS hash(x)",  # compared with itself alone, so that any hash does
    "conv(x, a, b) AS ('0x' || x)::BIGINT::VARCHAR",
    "line_of(part) AS 1000 * regexp_extract(part, '([0-9]+)[.][0-9]+', 1)::INT "
    "+ regexp_extract(part, '[0-9]+[.]([0-9]+)', 1)::INT",
    "expm1(x) AS CASE WHEN abs(x) < 1e-5 THEN x + x * x / 2 + x * x * x / 6 ELSE exp(x) - 1 END",
    "format_number(x, digits) AS format('{:,}', round(x)::BIGINT)",
    # code units of names within the basic plane
    "hex_utf16(t) AS upper(array_to_string(list_transform(string_split(t, ''), "
    "lambda c: format('{:04x}', unicode(c))), ''))",
)

_PLAIN = {exp.SafeAdd: exp.Add, exp.SafeSubtract: exp.Sub, exp.SafeMultiply: exp.Mul}

# two steps that take JSON apart by Spark's own spelling
_OWN = {
    "declared_producers": """
        WITH fleets AS (
            SELECT cluster, unnest(CAST(declaration -> '$.client_configs.producers' AS JSON[])) AS fleet
            FROM cluster_days
        ),
        declared AS (
            SELECT
                cluster, fleet ->> 'software' AS software, fleet ->> 'version' AS versions,
                fleet ->> 'listener' AS listener, fleet ->> 'retries' AS retries,
                CAST(fleet -> '$.client_ids' AS VARCHAR[]) AS client_ids,
                coalesce(fleet ->> 'software' = 'apache-kafka-java' AND list_bool_or(
                    list_transform(string_split(fleet ->> 'version', ','), lambda part:
                        CASE regexp_extract(trim(part), '^([<>=]*)', 1)
                            WHEN '<' THEN line_of(part) <= 2001 WHEN '>' THEN FALSE WHEN '>=' THEN FALSE
                            ELSE line_of(part) < 2001
                        END)), FALSE) AS is_old
            FROM fleets
        )
        SELECT
            cluster, software, versions, listener, client_ids, is_old, retries IS NOT NULL AS without_retries
        FROM declared
        WHERE retries = '0' OR (retries IS NULL AND is_old)""",
    "declared_resets": """
        WITH patterns AS (
            SELECT d.cluster, e.key AS pattern, lower(trim(e.value ->> 'auto.offset.reset')) AS reset_policy
            FROM cluster_days AS d, json_each(d.declaration, '$.client_configs.groups') AS e
        )
        SELECT
            g.cluster, g.group_id, first(p.reset_policy ORDER BY length(p.pattern) DESC, p.pattern DESC) AS reset_policy
        FROM (SELECT DISTINCT cluster, group_id FROM group_starts) AS g
        INNER JOIN patterns AS p ON g.cluster = p.cluster AND g.group_id LIKE replace(replace(replace(replace(replace(
            p.pattern, '!', '!!'), '%', '!%'), '_', '!_'), '*', '%'), '?', '_') ESCAPE '!'
        WHERE p.reset_policy IS NOT NULL
        GROUP BY g.cluster, g.group_id""",
}


class Found(NamedTuple):
    """What one signature came to: coverage by cluster, and the rows of its other queries by their name."""

    coverage: dict[str, Coverage]
    rows: dict[str, list[dict[str, Any]]]


class Duck:
    """One day in one DuckDB session; tables stay in memory."""

    def __init__(self, home: Path, ds: str, sql: Path, threads: int = 2) -> None:
        self.home, self.ds, self.sql = home, ds, sql
        self.connection = duckdb.connect()
        self.connection.execute(f"SET TimeZone = 'UTC'; SET threads = {threads}; SET preserve_insertion_order = false")
        for macro in _MACROS:
            self.connection.execute(f"CREATE MACRO {macro}")

    def load_raw(self) -> None:
        """Views `raw_<table>` over the committed files of the day and of the last sweep before it; of earlier days."""
        before = (dt.date.fromisoformat(self.ds) - dt.timedelta(days=1)).isoformat()
        sweeps = manifests(self.home, self.ds)[0]
        earlier = {m.cluster: m for m in manifests(self.home, before)[0]}
        used = sweeps + [m for m in earlier.values() if m.cluster in {s.cluster for s in sweeps}]
        earlier_ones = earlier_sweeps(self.home, self.ds, EARLIER_DAYS, EARLIER, {s.cluster for s in sweeps})
        for view, table in raw_views().items():
            read_of = used if view == f"raw_{table}" else earlier_ones
            paths = list(dict.fromkeys(str(self.home / m.files[table].path) for m in read_of if table in m.files))
            if paths:
                read = f"read_parquet({paths!r}, union_by_name = true)"
                self.connection.execute(f"CREATE VIEW {view} AS SELECT *{self._last(table, read)} FROM {read}")
            else:
                self.table(view, raw_schemas()[table].empty_table())

    def _last(self, table: str, read: str) -> str:
        """What gives every row of a table of states its last sweep; older files have no such column."""
        if table not in STATES:
            return ""
        there = "last_sweep_at" in self.connection.sql(f"FROM {read} LIMIT 0").columns
        return (
            " REPLACE (coalesce(last_sweep_at, sweep_at) AS last_sweep_at)" if there else ", sweep_at AS last_sweep_at"
        )

    def table(self, name: str, content: pa.Table) -> None:
        """Store an Arrow table."""
        self.connection.register("given", content)
        self.connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
        self.connection.unregister("given")

    def facts(self) -> dict[str, float]:
        """Every fact table; gives the seconds that each took."""
        return {name: self.store(name, query) for name, query in fact_queries(self.sql).items()}

    def store(self, name: str, query: str) -> float:
        """Store the result of one of the project's queries under a name; seconds."""
        began = dt.datetime.now()
        text = _OWN.get(name) or _translated(query, self._literals(query))
        self.connection.execute(f"CREATE OR REPLACE TABLE {name} AS {text}")
        return (dt.datetime.now() - began).total_seconds()

    def signature(self, name: str, clusters: list[str]) -> Found:
        """Steps of one signature, then coverage of these clusters, and the rows of its other queries."""
        signature = load_signatures(self.sql)[name]
        values = {key: float(t.value) for key, t in signature.thresholds.items()}
        of = dict.fromkeys(clusters, values)
        self.table(f"{name}_thresholds", thresholds_table(signature, of))
        for view, query in signature.all_steps.items():
            self.store(view, query)
        shown = [Shown(**_plain(row)) for row in self.rows(_translated(signature.needs_query, ()))]
        brokers: dict[str, set[int]] = {row["cluster"]: set() for row in self.rows("SELECT cluster FROM cluster_days")}
        for row in self.rows("SELECT cluster, broker FROM broker_days WHERE is_broker"):
            brokers[row["cluster"]].add(row["broker"])
        others = {"series": signature.series_query, "subjects": signature.subjects_query, "rows": signature.rows_query}
        found = {kind: self.rows(_translated(query, ())) for kind, query in others.items() if query}
        found["detections"] = self.rows(f"SELECT * FROM {signature.detections_view}")
        return Found(coverage(signature.needs, shown, brokers, of), found)

    def condition(self, name: str) -> list[dict[str, Any]]:
        """Steps of one measured condition, then its rows; `release_days` and its thresholds are the caller's."""
        condition = load_conditions(self.sql)[name]
        for view, query in condition.steps.items():
            self.store(view, query)
        return [_plain(row) for row in self.rows(_translated(condition.query, ()))]

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Rows of a query in DuckDB's own SQL."""
        found: list[dict[str, Any]] = self.connection.sql(query).to_arrow_table().to_pylist()
        return found

    def _literals(self, query: str) -> tuple[tuple[str, str], ...]:
        given = {"ds": f"DATE '{self.ds}'", "start_hours": str(START_HOURS), "clock_s": str(CLOCK_SECONDS)}
        return tuple(sorted((name, text) for name, text in given.items() if f":{name}" in query))


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Sums of whole numbers come as decimals here."""
    return {name: float(value) if isinstance(value, Decimal) else value for name, value in row.items()}


def _or(aggregate: Any, empty: exp.Expression) -> None:
    """Give `empty` where the aggregate, with its FILTER and OVER, is null."""
    whole: Any = aggregate
    while isinstance(whole.parent, exp.Filter | exp.Window):
        whole = whole.parent
    whole.replace(exp.Coalesce(this=whole.copy(), expressions=[empty]))


@cache
def _translated(query: str, literals: tuple[tuple[str, str], ...]) -> str:
    for name, text in literals:
        query = re.sub(rf":{name}\b", text, query)
    query = query.replace("hex(encode(g.group_id, 'UTF-16BE'))", "hex_utf16(g.group_id)")
    tree = sqlglot.parse_one(query, read="spark")
    for hint in list(tree.find_all(exp.Hint)):  # of joins; DuckDB knows sizes
        hint.pop()
    for tried in list(tree.find_all(exp.Anonymous)):
        if tried.name == "try_sum":  # whole numbers add up to wider ones here, which do not overflow
            tried.replace(exp.Sum(this=tried.expressions[0]))
    for between in list(tree.find_all(exp.Quantile)):  # between two values, as percentile() does
        between.replace(exp.Anonymous(this="quantile_cont", expressions=[between.this, between.args["quantile"]]))
    for safe in list(tree.find_all(*_PLAIN)):
        plain = _PLAIN[type(safe)](this=safe.this, expression=safe.expression)
        of_rows = safe.find(exp.Window, exp.AggFunc)  # what TRY refuses; there, numbers beyond a BIGINT end the run
        safe.replace(plain if of_rows else exp.Anonymous(this="TRY", expressions=[plain]))
    for picked in list(tree.find_all(exp.ArgMax, exp.ArgMin)):  # of the row with the extreme, also where it has null
        name = "arg_max_null" if isinstance(picked, exp.ArgMax) else "arg_min_null"
        picked.replace(exp.Anonymous(this=name, expressions=[picked.this, picked.expression]))
    # where there is nothing to count or to collect, Spark gives 0 or an empty array and DuckDB null
    for counted in list(tree.find_all(exp.CountIf)):
        _or(counted, exp.Literal.number(0))
    for collected in list(tree.find_all(exp.ArrayAgg, exp.ArrayUniqueAgg)):
        _or(collected, exp.Array())
    return tree.sql(dialect="duckdb")
