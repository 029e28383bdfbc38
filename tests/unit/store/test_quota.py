"""A sweep has room for so many bytes: what is beyond is not stored, is named with its size, and costs nobody else."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

from kafka_fleet.store.raw import landing
from kafka_fleet.store.raw.landing import Landing, land
from kafka_fleet.store.raw.manifests import Manifest, manifests, read_rows
from kafka_fleet.store.raw.row_validation import validated_rows
from kafka_fleet.store.raw.sweep_quota import (
    DECODED_BYTES,
    READ_BYTES,
    STORED_BYTES,
    Room,
    decoded,
    encoded,
    fit_quota,
)

pytestmark = pytest.mark.fault(62)

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
Row = dict[str, Any]
BROKERS: list[Row] = [{"broker": one, "read_at": AT, "outcome": "ok", "unusable": 0} for one in (1, 2, 3)]
SWEEP: Row = {"ended_at": AT, "admin_outcome": "ok", "admin_missing": [], "collector_version": "1"}
DECLARED: Row = {"environment": "production", "owners": ["a@example.org"], "declaration": '{"id":"payments-eu"}'}


def noise(random: Random, length: int = 40) -> str:
    """Text that no compression makes small."""
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=length))


def topics(broker: int, many: int, name: Callable[[int], str]) -> list[Row]:
    return [{"broker": broker, "read_at": AT, "topic": name(one), "bytes_in": one} for one in range(many)]


def stored(home: Path, manifest: Manifest, table: str) -> list[Row]:
    return read_rows(home, [manifest], table)


@pytest.mark.parametrize("measure", ["decoded", "stored"])
def test_one_broker_that_sends_too_much_costs_the_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    """Decoded: many rows that compress well. Stored: fewer that do not."""
    random = Random(1)  # noqa: S311 - to be had again
    fat = topics(2, 20_000, lambda n: f"t{n}") if measure == "decoded" else topics(2, 3_000, lambda _n: noise(random))
    others = topics(1, 50, lambda n: f"t{n}") + topics(3, 50, lambda n: f"t{n}")
    room = Room(decoded=500_000) if measure == "decoded" else Room(stored=62_000)
    monkeypatch.setattr(landing, "ROOM", room)
    tables = {
        "declarations": [DECLARED],
        "sweeps": [SWEEP],
        "brokers": BROKERS,
        "broker_topics": [*others[:50], *fat, *others[50:]],
        "broker_metrics": [{"broker": one, "release": "3.3.1"} for one in (1, 2, 3)],
        "topics": [{"topic": "t", "partition": 0, "replicas": [1, 2, 3], "isr": [1]}],
    }
    manifest = land(tmp_path, "payments-eu", AT, tables)

    assert [row["broker"] for row in stored(tmp_path, manifest, "broker_topics")] == [1] * 50 + [3] * 50
    assert len(stored(tmp_path, manifest, "broker_metrics")) == 3
    assert len(stored(tmp_path, manifest, "topics")) == 1
    assert stored(tmp_path, manifest, "declarations")[0]["declaration"] == DECLARED["declaration"]
    (sweep,) = stored(tmp_path, manifest, "sweeps")
    assert (sweep["admin_outcome"], sweep["admin_detail"]) == ("ok", None)
    outcomes = {row["broker"]: (row["outcome"], row["detail"]) for row in stored(tmp_path, manifest, "brokers")}
    assert outcomes[1] == outcomes[3] == ("ok", None)
    outcome, detail = outcomes[2]
    assert outcome == "partial"
    assert detail is not None
    assert detail.startswith("beyond the quota of a sweep and not stored: broker_topics of broker 2 (")
    assert detail.endswith(f", {len(fat):,} rows)")
    assert sum(file.bytes for file in manifest.files.values()) <= room.stored
    assert manifests(tmp_path, "2026-11-20") == ([manifest], [])


def test_replicas_that_are_not_stored_make_a_broker_truncated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landing, "ROOM", Room(decoded=100_000))
    rows = [{"broker": 1, "read_at": AT, "topic": "t", "partition": n, "log_end_offset": n} for n in range(5_000)]
    manifest = land(tmp_path, "payments-eu", AT, {"sweeps": [SWEEP], "brokers": BROKERS, "partitions": rows})
    assert "partitions" not in manifest.files
    assert [row["outcome"] for row in stored(tmp_path, manifest, "brokers")] == ["truncated", "ok", "ok"]


def test_what_clients_make_too_large_leaves_room_for_brokers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the admin protocol tells is stored first, and has half of the room."""
    monkeypatch.setattr(landing, "ROOM", Room(decoded=1_000_000))
    offsets = [{"group_id": f"g{n}", "topic": "t", "partition": 0, "committed_offset": n} for n in range(12_000)]
    groups = [{"group_id": f"g{n}", "state": "Empty"} for n in range(100)]
    rows = [{"broker": 1, "topic": "t", "partition": n, "log_end_offset": n} for n in range(2_000)]
    with Landing(tmp_path, "payments-eu", AT) as one:
        one.store({"declarations": [DECLARED]})
        one.store({"groups": groups, "group_offsets": offsets})
        manifest = one.commit({"sweeps": [SWEEP], "brokers": BROKERS, "partitions": rows}, lambda: None)
    assert manifest.files.keys() == {"declarations", "groups", "sweeps", "brokers", "partitions"}
    assert manifest.files["partitions"].rows == 2_000
    (sweep,) = stored(tmp_path, manifest, "sweeps")
    assert (sweep["admin_outcome"], sweep["admin_missing"]) == ("partial", ["group_offsets"])
    assert sweep["admin_detail"] == (
        "beyond the quota of a sweep and not stored: group_offsets (684,890 bytes, 12,000 rows)"
    )


def test_only_as_much_goes_as_has_to(tmp_path: Path) -> None:
    """The largest first; what is small stays, and what fits exactly stays whole."""
    made = {
        name: validated_rows(name, rows, "payments-eu", AT)[0]
        for name, rows in {
            "sweeps": [SWEEP],
            "broker_topics": [row for one in (1, 2, 3) for row in topics(one, 100 * one, lambda n: f"t{n}")],
            "groups": [{"group_id": "g"}],
        }.items()
    }

    def every(make: Any, tables: Any) -> list[bytes]:
        return [make(table) for table in tables]

    whole = sum(map(decoded, made.values()))
    assert fit_quota(made, Room(decoded=whole), every)[2] == []
    tables, contents, over = fit_quota(made, Room(decoded=whole - 1), every)
    assert [(one.table, one.broker, one.rows) for one in over] == [("broker_topics", 3, 300)]
    assert over[0].bytes == decoded(made["broker_topics"].slice(300, 300))
    assert tables["broker_topics"].equals(made["broker_topics"].slice(0, 300))
    assert contents == {name: encoded(table) for name, table in tables.items()}
    tables, contents, over = fit_quota(made, Room(decoded=0, stored=0), every)
    assert contents.keys() == {"sweeps"}  # without which there is no sweep
    assert len(over) == 4


def test_the_quota_that_is_read_is_what_landing_may_store() -> None:
    assert Room() == Room(DECODED_BYTES, STORED_BYTES)
    assert Room() == landing.ROOM
    assert STORED_BYTES + 2 * 16 * 2**20 <= READ_BYTES  # the fleet entry has up to 16 MiB


def test_what_an_agent_says_of_itself_is_small_when_it_lands(tmp_path: Path) -> None:
    """A release of 8 MB, within all limits of an answer."""
    rows = [{"broker": 1, "release": noise(Random(1), 8_000_000), "messages_in": 5}]  # noqa: S311
    manifest = land(tmp_path, "payments-eu", AT, {"sweeps": [SWEEP], "brokers": BROKERS, "broker_metrics": rows})
    assert sum(file.bytes for file in manifest.files.values()) < 100_000
    (row,) = pq.read_table(tmp_path / manifest.files["broker_metrics"].path).to_pylist()
    assert (row["release"], row["messages_in"]) == (None, 5)
    assert "broker_metrics.release (1 value)" in stored(tmp_path, manifest, "brokers")[0]["detail"]
