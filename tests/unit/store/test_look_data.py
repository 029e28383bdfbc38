"""Close looks as data: the blocks that ask for them, and what the store says where it keeps not all of one."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from kafka_fleet.knowledge.close_looks import Look, asked_looks
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.raw import landing
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests, read_rows
from kafka_fleet.store.raw.sweep_quota import Room
from support.clusters.suspected import Row


def test_a_look_s_rows_beyond_the_quota_are_said_in_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = landing.ROOM.decoded
    monkeypatch.setattr(landing, "ROOM", Room(whole, 20_000))
    many = [read(slot) for slot in range(2_000)]
    about = {"broker": 7, "signature": "fetch_latency", "reason": "why", "outcome": "ok", "slots": 60}
    tables = {"sweeps": [{"admin_outcome": "ok", "admin_missing": []}], "looks": [about], "look_reads": many}
    at = datetime(2026, 11, 20, 10, tzinfo=UTC)
    land(tmp_path, "lab", at, tables)
    (manifest,), _damaged = manifests(tmp_path, at.date())
    (row,) = read_rows(tmp_path, [manifest], "looks")
    assert row["outcome"] == "failed"
    assert row["detail"].startswith("beyond the quota of a sweep and not stored: look_reads of broker 7 (")
    assert read_rows(tmp_path, [manifest], "sweeps")[0]["admin_outcome"] == "ok"
    assert "look_reads" not in manifest.files


def read(slot: int) -> Row:
    """A reading that compresses badly."""
    noise = int.from_bytes(hashlib.sha256(str(slot).encode()).digest()[:6])
    about = {"broker": 7, "signature": "fetch_latency", "slot": slot, "offset_ms": slot, "spent_ms": 1}
    return {**about, "metric": "bytes_out", "topic": None, "partition": None, "value": noise}


def test_values_beyond_their_columns_are_said_in_the_look_s_row(tmp_path: Path) -> None:
    about = {"broker": 7, "signature": "fetch_latency", "reason": "r" * 9_000, "outcome": "ok", "slots": 60}
    at = datetime(2026, 11, 20, 10, tzinfo=UTC)
    reads = [{**read(0), "topic": "t" * 300}, {**read(1), "value": 2**60}]
    land(tmp_path, "lab", at, {"sweeps": [{"admin_outcome": "ok"}], "looks": [about], "look_reads": reads})
    (manifest,), _damaged = manifests(tmp_path, at.date())
    (row,) = read_rows(tmp_path, [manifest], "looks")
    assert (row["outcome"], len(row["reason"])) == ("partial", 4096)
    assert row["detail"] == (
        "beyond the bounds of their columns and not stored: look_reads.topic (1 row), look_reads.value (1 value)"
    )
    assert [one["value"] for one in read_rows(tmp_path, [manifest], "look_reads")] == [None]


def wanted(**changes: object) -> Row:
    """The block of fetch_latency, otherwise."""
    return {**asked_looks()["fetch_latency"].model_dump(), **changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"broker": {"x": "broker_metrics.nothing"}, "when": {}}, "at least 1 item"),
        ({"broker": {"bytes_out": "broker_metrics.bytes_out"}}, "not among the numbers of the broker"),
        ({"topics": {"x": "broker_metrics.bytes_out"}}, "no such number with one row per topic"),
        ({"topics": {"Ab": "broker_topics.bytes_out"}}, "a name of small letters"),
        ({"partitions": ["log_size"]}, "partitions.log_size: mbeans.yaml has no such number"),
    ],
)
def test_a_block_that_asks_for_what_there_is_not_is_refused(changes: Row, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Look.model_validate(wanted(**changes))


def test_a_look_is_short_and_its_readings_are_apart() -> None:
    for name, value in (("seconds", 21.0), ("slot_ms", 50.0)):
        longer = {"value": value, "unit": "s", "minimum": 0, "maximum": 9999, "reason": "because"}
        with pytest.raises(ValidationError, match="takes at most 20 s, and a reading of it 100 ms at least"):
            Look.model_validate(wanted(**{name: longer}))


def test_every_check_that_asks_is_found_without_reading_the_others() -> None:
    assert asked_looks() == {name: one.look for name, one in load_signatures().items() if one.look is not None}
    wait = load_signatures()["fetch_latency"].thresholds["wait_ms"].value
    assert 2 * asked_looks()["fetch_latency"].slot_ms.value <= wait
