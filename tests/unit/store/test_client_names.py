"""Clients that call themselves otherwise each time cost a bounded number of rows, and the broker's row says so."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kafka_fleet.store.raw.client_names import MOST
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import read_rows

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
BROKERS = [{"broker": one, "read_at": AT, "outcome": "ok", "unusable": 0} for one in (1, 2)]


def counted(broker: int, names: int, requests: int) -> list[dict[str, Any]]:
    return [
        {"broker": broker, "read_at": AT, "request": "Produce", "version": "2", "software": f"client-{place:06}",
         "software_version": "1", "requests": requests + place}
        for place in range(names)
    ]  # fmt: skip


def test_the_largest_rows_of_each_broker_are_kept_and_the_rest_is_told(tmp_path: Path) -> None:
    rows = counted(1, 5_000, 10) + counted(2, 7, 1)
    manifest = land(tmp_path, "payments-eu", AT, {"brokers": BROKERS, "deprecated_requests": rows})
    kept = read_rows(tmp_path, [manifest], "deprecated_requests")
    assert [sum(row["broker"] == broker for row in kept) for broker in (1, 2)] == [MOST, 7]
    assert min(row["requests"] for row in kept if row["broker"] == 1) == 10 + 5_000 - MOST
    one, other = sorted(read_rows(tmp_path, [manifest], "brokers"), key=lambda row: row["broker"])
    assert one["outcome"] == "partial"
    assert "deprecated_requests of broker 1 (" in one["detail"]
    assert one["detail"].endswith(", 4,000 rows)")
    assert (other["outcome"], other["detail"]) == ("ok", None)
