"""No stored value ends a judgement: each column of each table as null, at its limits, or nonsense: an answer."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kafka_fleet.knowledge.releases import parse_release
from kafka_fleet.roll.day_rows import LAST, METRICS, DayRows
from kafka_fleet.roll.readiness import READS, Asked, Known, readiness
from kafka_fleet.roll.rolls import day_rolls
from kafka_fleet.roll.what_if import of_rack, of_restart
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.manifests import Manifest
from kafka_fleet.store.raw.newest_sweep import SweepTables
from support.builders.documents import report
from support.builders.letter_samples import payments
from support.builders.roll_sweeps import AT, healthy

FOREVER = datetime(9999, 12, 31, tzinfo=UTC)


def values(kind: pa.DataType) -> list[Any]:
    """Null, and what a column of the type can hold at worst."""
    if pa.types.is_list(kind):
        return [None, [], [None], values(kind.value_type)[1:2] * 3]
    if pa.types.is_timestamp(kind):
        return [None, datetime(1, 1, 1, tzinfo=UTC), FOREVER]
    if pa.types.is_string(kind):
        return [None, "", "\u202e\x00", "9" * 400, "1@", "-1"]
    if pa.types.is_floating(kind):
        return [None, float("nan"), float("inf"), -1e308, 1e308]
    if pa.types.is_boolean(kind):
        return [None, True, False]
    bits = kind.bit_width
    return [None, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 0]


def tables() -> dict[str, pa.Table]:
    """The healthy cluster's, and rows of the tables that it has none of."""
    rows = healthy()
    rows["recoveries"] = [{"broker": 1, "log_dir": "/d", "remaining_logs": 0}]
    rows["deprecated_requests"] = [{"broker": 1, "request": "Fetch", "software": "x", "requests": 0}]
    made = {}
    for name in READS:
        schema = raw_schemas()[name]
        made[name] = pa.Table.from_pylist(
            [{field.name: row.get(field.name) for field in schema} for row in rows.get(name, [])], schema=schema
        )
    return made


CLEAN = tables()
SWEEP = Manifest("payments-eu", "20261120T100000.000000Z", AT, 1, {})


@pytest.mark.sampled("hostile-rows")  # 19 s: each value of each column of each table
@pytest.mark.parametrize("table", list(READS))
def test_every_value_of_a_table_gives_an_answer(table: str) -> None:
    for place, field in enumerate(CLEAN[table].schema):
        for value in values(field.type):
            column = pa.array([value] * CLEAN[table].num_rows, field.type)
            changed = {**CLEAN, table: CLEAN[table].set_column(place, field, column)}
            sweep = SweepTables(SWEEP, changed)
            found = readiness(sweep, Asked(target=parse_release("4.0.0")), Known())
            assert found.state in ("not_ready", "unknown"), f"{table}.{field.name}: {value!r}"
            assert list(of_rack(sweep, [1]))
            assert list(of_restart(sweep, 1))


def test_a_table_without_rows_gives_an_answer() -> None:
    ready = set()
    for table in READS:
        found = readiness(SweepTables(SWEEP, {**CLEAN, table: CLEAN[table].slice(0, 0)}), Asked(), Known())
        ready |= {table} if found.state == "ready" else set()
    of_a_target = {"client_software", "deprecated_requests", "features"}
    may_be_empty = {"group_members", "groups", "hosts", "recoveries", "topic_configs"}
    assert ready == of_a_target | may_be_empty


# facts: the columns that SQL may leave null, by mart
NULLS = {
    "restarts": ("process_start", "leaders_before", "stops", "possible_stops", "fenced_brokers"),
    "broker_starts": ("start_seconds", "remaining_logs"),
    "error_counters": ("error", "request", "errors"),
    "listener_connections": ("created", "held_before", "listener", "seconds"),
    "host_counters": ("listen_overflows", "listen_drops", "syncookies_sent"),
    "group_coordinators": ("coordinator", "group_id", "members"),
    "out_of_sync_replicas": (),
}
ROW = {
    "broker": 1, "from_sweep": AT, "to_sweep": AT, "from_at": AT, "to_at": AT, "process_start": AT, "stops": 1,
    "possible_stops": 1, "controlled_shutdowns": 1, "fenced_brokers": 1, "controlled_shutdown_brokers": 1,
    "leaders_before": 1, "refused_registrations": 0, "start_seconds": 1.0, "remaining_logs": 0, "request": "Produce",
    "error": "X", "errors": 1, "listener": "L", "kind": "start", "created": 1, "held_before": 1, "seconds": 1.0,
    "ran_back": False, "listen_overflows": 0, "listen_drops": 0, "syncookies_sent": 0, "group_id": "g",
    "sweep_at": AT, "coordinator": 1, "members": 0, "follower": 1,
}  # fmt: skip


@pytest.mark.parametrize(("table", "column"), [(table, one) for table, own in NULLS.items() for one in own])
def test_a_null_of_a_mart_gives_a_report(table: str, column: str) -> None:
    def facts(name: str, columns: Any) -> list[dict[str, Any]] | None:
        row = {**ROW, column: None} if name == table else ROW
        return [{one: row.get(one) for one in columns}] if name in NULLS else None

    schema = pa.schema([raw_schemas()["broker_metrics"].field(one) for one in ("sweep_at", *METRICS)])
    last = SweepTables(SWEEP, {name: CLEAN[name] for name in LAST})
    (one,) = day_rolls(DayRows(facts, schema.empty_table(), last), report(payments()))
    assert [restart.broker for restart in one.restarts] == [1]


@pytest.mark.parametrize("column", METRICS)
def test_every_value_of_the_metrics_gives_a_report(column: str, tmp_path: Path) -> None:
    schema = pa.schema([raw_schemas()["broker_metrics"].field(one) for one in ("sweep_at", *METRICS)])
    for value in values(schema.field(column).type):
        rows = [{"sweep_at": AT, "broker": broker, column: value} for broker in (1, 2)]
        day = DayRows(
            lambda name, columns: [{one: ROW.get(one) for one in columns}] if name == "restarts" else None,
            pa.Table.from_pylist(rows, schema=schema),
            None,
        )
        assert len(day_rolls(day, report(payments()))) == 1, value
