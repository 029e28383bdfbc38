"""Rows of one small sweep, ready to be landed."""

from datetime import UTC, datetime

AT = datetime(2026, 11, 20, 10, 0, 0, 123456, tzinfo=UTC)
DS = "2026-11-20"
TABLES = {
    "sweeps": [{"admin_outcome": "ok", "admin_missing": []}],
    "brokers": [{"broker": b, "outcome": "ok", "is_broker": True, "missing": [], "read_at": AT} for b in (1, 2)],
    "partitions": [
        {"broker": 1, "topic": "заказы", "partition": p, "log_end_offset": p * 10, "read_at": AT} for p in range(50)
    ],
}
