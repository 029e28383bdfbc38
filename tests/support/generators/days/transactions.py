"""Open transactions of a simulated cluster at a sweep: takes it and a moment, gives what the collector lands of them.

Brokers from 3.0 on tell theirs (KIP-664); the collector asks the leaders of those that are open for longer than 20 s.
"""

from typing import Any

from support.generators.days.cluster import T0, Sim, since, when
from support.generators.days.state import Open

Row = dict[str, Any]
YOUNG_S = 20.0


def transactions(sim: Sim, t: float) -> dict[str, list[Row]]:
    """Both raw tables."""
    if not since(sim, "3.0"):
        return {}
    rows = [row for one in sim.state.transactions for row in _rows(sim, one, t)]
    asked = [broker for broker in sim.brokers if sim.up(broker, t)]
    listed = [{"broker": broker, "read_at": when(t), "listed": 1, "long_open": len(rows) if broker == asked[0] else 0}
              for broker in asked]  # fmt: skip
    return {"transaction_coordinators": listed, "open_transactions": rows}


def _rows(sim: Sim, one: Open, t: float) -> list[Row]:
    """One row where the transaction is open just now and is not young; its coordinator has it."""
    log = sim.logs[one.topic, one.partition]
    leader = log.leader.at(t)
    if not one.since + YOUNG_S <= t < one.until or leader is None:
        return []
    wrote = one.since + (t - one.since) // one.written * one.written
    coordinator = next(broker for broker in sim.brokers if sim.up(broker, t))
    return [{
        "broker": leader, "read_at": when(t), "topic": one.topic, "partition": one.partition,
        "producer_id": 7000 + one.producer, "producer_epoch": 0, "coordinator_epoch": 0,
        "start_offset": one.start_offset, "last_sequence": int((wrote - one.since) / one.written),
        "last_timestamp_ms": round(1000 * (T0 + wrote)),
        "last_stable_offset": one.start_offset, "high_watermark": max(one.start_offset + 1, log.end_at(t)),
        "all_asked": True, "transactional_id": f"writer-{one.producer}", "coordinator": coordinator,
        "state": "Ongoing", "timeout_ms": round(1000 * one.timeout_s),
        "started_ms": round(1000 * (T0 + one.since + sim.state.clock(coordinator, one.since))), "in_transaction": True,
    }]  # fmt: skip
