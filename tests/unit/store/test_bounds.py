"""Bounds of what is stored: every column has one, what lies at it is kept, and what is beyond is said in the sweep."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from kafka_fleet.schema.arrow import as_table
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.column_constraints import OFFSET, SENTENCE, bounds, keys
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import read_rows
from kafka_fleet.store.raw.row_validation import Refused, validated_rows
from support.homes.recorded import recording, scenarios

pytestmark = pytest.mark.fault(61)

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
NOW_MS = int(AT.timestamp() * 1000)
Row = dict[str, Any]


@pytest.mark.parametrize("table", raw_schemas())
def test_every_column_has_a_bound_and_every_key_is_a_column(table: str) -> None:
    assert list(bounds(table)) == raw_schemas()[table].names
    assert all(bound.words for bound in bounds(table).values())
    assert set(keys(table)) <= set(raw_schemas()[table].names)


def test_a_column_without_a_bound_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    new = pa.field("made_up", pa.int64())
    schemas = {**raw_schemas(), "topics": raw_schemas()["topics"].append(new)}
    monkeypatch.setattr("kafka_fleet.store.raw.column_constraints.raw_schemas", lambda: schemas)
    with pytest.raises(KeyError, match="made_up"):
        bounds.__wrapped__("topics")


def test_log_ends_of_the_largest_cluster_add_up_to_a_bigint() -> None:
    most = 2**19  # Metadata of some 350,000 partitions fills an answer (SECURITY.md)
    assert most * OFFSET.high < 2**63 - 1
    assert all(high - low < 2**63 for low, high in ((bound.low, bound.high) for bound in _numbers()))


def _numbers() -> list[Any]:
    found = [bound for table in raw_schemas() for bound in bounds(table).values() if hasattr(bound, "high")]
    assert len(found) > 100
    return found


@pytest.mark.parametrize(
    ("table", "column", "kept", "refused"),
    [
        ("partitions", "log_end_offset", [-1, 0, 2**44 - 1], [-2, 2**44, 2**63 - 1, -(2**63)]),
        ("group_offsets", "committed_offset", [0, 2**44 - 1], [2**44, 2**63 - 1, 2**63]),
        ("broker_metrics", "jvm_start_ms", [946_684_800_000, NOW_MS], [7, 10**15, 10**18, 2**63 - 1, NOW_MS * 1000]),
        ("broker_metrics", "messages_in", [0, 2**58], [2**58 + 1, -2]),
        ("broker_metrics", "release", ["3.3.1", "4", "7.5.0-ccs", "x" * 64], ["x" * 65, "x" * 10**6]),
        ("brokers", "agent_clock_skew_s", [-1.8e9, 0.5, 3.1e9], [1.8e12, 1.8e18, 9e18, float("nan"), float("inf")]),
        ("broker_configs", "value", ["x" * 16_384], ["x" * 16_385]),
        ("topics", "replicas", [[], [1, 2], [1] * 1000], [[1] * 1001, [-1], [1, None], [2**40]]),
        ("producers", "last_timestamp_ms", [-1, NOW_MS], [-2, 5, 2**62]),
        ("hosts", "boot_time_s", [946_684_800, NOW_MS // 1000], [5, NOW_MS]),
        ("group_members", "client_id", ["\U0001f600" * 255], ["\U0001f600" * 256, "a\ud800"]),
    ],
)
def test_what_is_at_a_bound_is_kept_and_what_is_beyond_is_null(
    table: str, column: str, kept: list[Any], refused: list[Any]
) -> None:
    good: Row = {
        name: {"string": "x", "int32": 1}[str(raw_schemas()[table].field(name).type)]
        for name in keys(table)
        if name != column
    }
    stored, found = validated_rows(table, [{**good, column: value} for value in [*kept, *refused]], "payments-eu", AT)
    assert stored[column].to_pylist() == [*kept, *[None] * len(refused)]
    broker = 1 if "broker" in good else None
    assert found == [Refused(table, column, False, broker, len(refused))]


def test_a_row_whose_key_is_none_goes_and_is_counted_once_for_each_such_key() -> None:
    rows: list[Row] = [
        {"topic": "orders", "partition": 0, "leader": 2},
        {"topic": "x" * 256, "partition": 0, "leader": -7},
        {"topic": "x" * 300, "partition": -1, "leader": 1},
        {"topic": "payments", "partition": 0, "leader": -7},
    ]
    stored, refused = validated_rows("topics", rows, "payments-eu", AT)
    assert stored.select(["topic", "leader"]).to_pylist() == [
        {"topic": "orders", "leader": 2},
        {"topic": "payments", "leader": None},
    ]
    assert refused == [
        Refused("topics", "topic", True, None, 2),
        Refused("topics", "partition", True, None, 1),
        Refused("topics", "leader", False, None, 1),  # of rows that are stored
    ]


def test_a_sentence_of_our_own_is_cut_and_not_lost() -> None:
    stored, refused = validated_rows("sweeps", [{"admin_detail": "\u00e9" * 5000}], "payments-eu", AT)
    assert stored["admin_detail"].to_pylist() == ["\u00e9" * (SENTENCE.longest - 1) + "\u2026"]
    assert refused == []


@pytest.mark.parametrize("scenario", scenarios())
def test_what_was_recorded_lands_as_it_was(scenario: str) -> None:
    for sweep in recording(scenario):
        for table, rows in sweep.tables.items():
            fixed = {"cluster": sweep.cluster, "sweep_at": sweep.at}
            stored, refused = validated_rows(table, rows, sweep.cluster, sweep.at)
            assert refused == []
            assert stored.equals(as_table(rows, raw_schemas()[table], fixed), check_metadata=True)


def test_an_arrow_table_is_bounded_as_rows_are() -> None:
    rows: list[Row] = [
        {"broker": 1, "topic": "t", "partition": place, "log_end_offset": value}
        for place, value in enumerate([5, 2**62, -(2**63)])
    ]
    schema = raw_schemas()["partitions"]
    columns = pa.Table.from_pylist(rows, schema=schema).drop_columns(["cluster", "sweep_at"])
    again = [{**row, "broker": 2} for row in rows]
    stored, refused = validated_rows("partitions", [columns, *again], "payments-eu", AT)
    assert stored["log_end_offset"].to_pylist() == [5, None, None] * 2
    assert refused == [Refused("partitions", "log_end_offset", False, broker, 2) for broker in (1, 2)]


BROKER: Row = {"broker": 1, "read_at": AT, "outcome": "ok", "unusable": 2}
SWEEP: Row = {"ended_at": AT, "admin_outcome": "ok", "admin_missing": [], "collector_version": "1"}


def landed(tmp_path: Any, **tables: list[Row]) -> tuple[Row, list[Row]]:
    """The sweep's row and the brokers' of a landing."""
    given = {"sweeps": [SWEEP], "brokers": [BROKER, {**BROKER, "broker": 2}], **tables}
    manifest = land(tmp_path, "payments-eu", AT, given)
    (sweep,) = read_rows(tmp_path, [manifest], "sweeps")
    return sweep, read_rows(tmp_path, [manifest], "brokers")


def test_what_is_refused_of_a_broker_is_said_in_its_row(tmp_path: Any) -> None:
    start = {"broker": 1, "jvm_start_ms": 10**15, "app_start_ms": -5, "release": "4"}
    odd = [{"broker": 1, "topic": "x" * 300, "bytes_in": 2}, {"broker": 1, "topic": "y" * 300}]
    sweep, (one, two) = landed(tmp_path, broker_metrics=[start], broker_topics=odd)
    assert one["detail"] == (
        "beyond the bounds of their columns and not stored: broker_metrics.app_start_ms (1 value), "
        "broker_metrics.jvm_start_ms (1 value), broker_topics.topic (2 rows)"
    )
    assert (one["outcome"], one["unusable"]) == ("partial", 6)
    assert (two["outcome"], two["unusable"], two["detail"]) == ("ok", 2, None)
    assert (sweep["admin_outcome"], sweep["admin_detail"]) == ("ok", None)


@pytest.mark.parametrize(("outcome", "then"), [("ok", "partial"), ("partial", "partial"), ("truncated", "truncated")])
def test_what_a_broker_said_before_stays(tmp_path: Any, outcome: str, then: str) -> None:
    before = {**BROKER, "outcome": outcome, "detail": "1 values were not usable", "agent_clock_skew_s": 1.8e18}
    _sweep, (one,) = landed(tmp_path, brokers=[before])
    assert one["outcome"] == then
    assert one["agent_clock_skew_s"] is None
    assert one["detail"] == (
        "1 values were not usable; beyond the bounds of their columns and not stored: "
        "brokers.agent_clock_skew_s (1 value)"
    )


@pytest.mark.parametrize(
    ("rows", "sentence", "missing"),
    [
        ([{"committed_offset": 2**63 - 1}] * 3, "group_offsets.committed_offset (3 values)", []),
        ([{"group_id": "g" * 2000}], "group_offsets.group_id (1 row)", ["group_offsets"]),
    ],
)
def test_what_is_refused_of_the_admin_protocol_is_said_in_the_sweep(
    tmp_path: Any, rows: list[Row], sentence: str, missing: list[str]
) -> None:
    """A value that is null costs its group; a row that is missing is one that what is judged would not miss."""
    whole = {"group_id": "any", "topic": "orders", "partition": 0, "read_at": AT + timedelta(seconds=1)}
    sweep, brokers = landed(tmp_path, group_offsets=[{**whole, **row} for row in rows])
    assert sweep["admin_detail"] == f"beyond the bounds of their columns and not stored: {sentence}"
    assert (sweep["admin_outcome"], sweep["admin_missing"]) == ("partial", missing)
    assert {row["outcome"] for row in brokers} == {"ok"}


def test_a_sentence_names_five_columns_and_counts_the_others(tmp_path: Any) -> None:
    names = [name for name in raw_schemas()["broker_metrics"].names if name.startswith("cleaner_")]
    _sweep, (one, _two) = landed(tmp_path, broker_metrics=[{"broker": 1, **dict.fromkeys(names, 2**62)}])
    assert len(names) > 6
    assert one["detail"].endswith(f"(1 value) and {len(names) - 5} more such")
    assert one["detail"].count("broker_metrics.") == 5
