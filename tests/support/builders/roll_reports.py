"""The report of a roll as JSON: an upgrade of two brokers in which one was killed and leadership did not return."""

from typing import Any


def restart(broker: int, minute: int, **more: Any) -> dict[str, Any]:
    """A restart within ten minutes from a minute of 10 o'clock on."""
    return {
        "broker": broker, "stop": "controlled", "from_release": "3.9.0", "to_release": "3.9.1",
        "last_seen": f"2026-11-19T10:{minute:02}:00Z", "process_start": f"2026-11-19T10:{minute + 3:02}:00Z",
        "first_seen": f"2026-11-19T10:{minute + 10:02}:00Z", "start_seconds": 12.5, "remaining_logs": 0,
        "in_sync": f"2026-11-19T10:{minute + 10:02}:00Z", "away_seconds": 600.0, **more,
    }  # fmt: skip


def a_roll(**more: Any) -> dict[str, Any]:
    """What became of it."""
    return {
        "kind": "upgrade", "begin": "2026-11-19T10:00:00Z", "end": "2026-11-19T10:30:00Z",
        "restarts": [restart(1, 0), restart(2, 20, stop="killed", remaining_logs=40)],
        "under_min_isr": {"at_least": 600.0, "at_most": 1200.0, "most": 5},
        "errors": [{"request": "Produce", "error": "NOT_ENOUGH_REPLICAS", "before": 0, "during": 7, "after": 1}],
        "reconnects": [
            {"broker": 2, "listener": "EXTERNAL", "created": 400, "held_before": 390, "seconds": 300.0, "overflows": 12}
        ],
        "rebalances": 3, "groups_moved": 2, "groups": ["billing", "audit"],
        "leadership": {"at": "2026-11-19T23:50:00Z", "away": 4, "out_of_sync": 1, "topics": ["orders"]},
        "symptoms": [
            {"signature": "fetch_latency", "title": "Expired share of consumer fetches", "unit": "ratio",
             "threshold": 0.3, "before": 0.02, "during": 0.05, "after": 0.45}
        ],
        **more,
    }  # fmt: skip
