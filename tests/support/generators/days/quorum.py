"""The KRaft quorum of a simulated cluster: takes it and a moment, gives the rows that DescribeQuorum tells, and gauges.

Voters are the first three brokers, or controllers of their own. The log grows by two records a second, and by bursts.
"""

from typing import Any

from support.generators.days.cluster import T0, Sim, when

Row = dict[str, Any]


def log_end(sim: Sim, t: float) -> int:
    """End of the metadata log."""
    return int(2 * (t + 100_000)) + sum(many for at, many in sim.state.quorum.bursts if at <= t)


def leader(sim: Sim, t: float) -> int:
    """The active controller."""
    quorum = sim.state.quorum
    return quorum.leader.at(t) if quorum.leader is not None else sim.controller.at(t)


def quorum_rows(sim: Sim, t: float) -> list[Row]:
    """A row per voter and observer; one that is away has not fetched from this leader."""
    quorum, leads = sim.state.quorum, leader(sim, t)
    voters = quorum.controllers or [one for one in sim.brokers if one <= 3]
    clock, latest = sim.state.clock(leads, t), sim.state.latest(leads, t)
    rows = []
    for node in dict.fromkeys([*voters, *sim.brokers]):
        up = sim.up(node, t) if node in sim.away else quorum.up(node, t)
        if not up and node not in voters:
            continue
        end = log_end(sim, t) - (quorum.behind[node].at(t) if node in quorum.behind else 0)
        fetched = round(1000 * (T0 + latest)) - 300 if up else None
        rows.append({
            "read_at": when(t), "leader": leads, "leader_epoch": quorum.epoch.at(t), "high_watermark": log_end(sim, t),
            "replica": node, "is_voter": node in voters, "log_end_offset": end if up else None,
            "leader_ms": round(1000 * (T0 + t + clock)), "last_fetch_ms": fetched, "last_caught_up_ms": fetched,
        })  # fmt: skip
    return rows


def quorum_gauges(sim: Sim, broker: int, t: float, kraft: bool, controls: bool) -> Row:
    """Columns of broker_metrics. A broker that migrates from ZooKeeper follows the quorum, and loads nothing of it."""
    quorum = sim.state.quorum
    row: Row = {"quorum_epoch": quorum.epoch.at(t), "quorum_leader": leader(sim, t)}
    end = log_end(sim, t) - 1 - (quorum.behind[broker].at(t) if broker in quorum.behind else 0)
    if kraft:
        row |= {"applied_metadata_offset": end, "metadata_load_errors": 0, "metadata_apply_errors": 0,
                "queued_directory_assignments": 0}  # fmt: skip
    if controls and kraft:
        row |= {"controller_applied_offset": end, "controller_metadata_errors": 0, "controller_queue_ms_p99": 3.0,
                "new_active_controllers": quorum.epoch.at(t)}  # fmt: skip
    return row
