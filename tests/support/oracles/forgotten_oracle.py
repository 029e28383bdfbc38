"""Groups whose step back only the load of their coordinator explains: takes the oracle of offset_rewind, gives them.

Written from docs/signatures/offset_rewind.md alone; it shares nothing with the SQL but the meaning.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from support.oracles.commits_oracle import OFFSETS, Row

if TYPE_CHECKING:
    from support.oracles.rewind_oracle import RewindOracle

Lost = tuple[str, str, datetime]  # cluster, group, the sweep that shows it


def forgotten(oracle: "RewindOracle") -> set[Lost]:
    """All of them, of every interval in which committed offsets went back."""
    found: set[Lost] = set()
    long = [
        one for one in oracle.steps if not one["vanished"] and one["records_back"] >= oracle.limits["min_rewound"]
    ]  # fmt: skip
    shorter = {(one["cluster"], one["to_sweep"]) for one in oracle.losses() if one["topic"] == OFFSETS}
    for cluster, first, last in {(one["cluster"], one["from_sweep"], one["to_sweep"]) for one in long}:
        own = [one for one in long if (one["cluster"], one["to_sweep"]) == (cluster, last)]
        elsewhere = any(not one["loaded"] and not one["memberless"] for one in own)
        elections = oracle.elections.get((cluster, last), {}).get("unclean_elections")
        if elsewhere or elections != 0 or (cluster, last) in shorter:
            continue
        running = _running(oracle, cluster, first, last)
        lost = {
            one["group_id"]
            for one in oracle.steps
            if (one["cluster"], one["to_sweep"]) == (cluster, last) and not one["vanished"] and one["loaded"]
            and not one["cut"] and running.get(one["group_id"]) and _passed(oracle, one)
        }  # fmt: skip
        chance = (sum(running.values()) / len(running)) ** len(lost) if lost else 1
        if len(lost) >= oracle.limits["min_groups"] and chance <= oracle.limits["max_chance"]:
            found |= {(cluster, one, last) for one in lost if not _behind(oracle, cluster, one, first, last)}
    return found


def _running(oracle: "RewindOracle", cluster: str, first: datetime, last: datetime) -> dict[str, bool]:
    """Groups with members and a commit at both sweeps, and whether their coordinators loaded in between."""
    both = oracle.commits[cluster, first].keys() & oracle.commits[cluster, last].keys()
    groups = {group for group, _place in both}
    shown = [one for one in groups if all((cluster, at, one) in oracle.showing for at in (first, last))]
    return {one: bool(oracle.loaded(cluster, one, first, last)) for one in shown}


def _passed(oracle: "RewindOracle", step: Row) -> bool:
    """Whether the group's commit was between the two offsets long enough before."""
    where = step["group_id"], (step["topic"], step["partition"])
    now = step["from_committed_offset"] - step["records_back"]
    return any(
        now < row["committed_offset"] < step["from_committed_offset"]
        and (step["from_sweep"] - at).total_seconds() >= oracle.limits["min_stale_s"]
        for (cluster, at), commits in oracle.commits.items()
        if cluster == step["cluster"] and oracle.today(at) and (row := commits.get(where))
    )


def _behind(oracle: "RewindOracle", cluster: str, group: str, first: datetime, last: datetime) -> bool:
    """Whether the coordinator's replica of the group's partition of the offsets log was not in sync before."""
    broker, number = oracle.coordinator(cluster, last, group)
    told = oracle.told[cluster, first].get((OFFSETS, number))  # type: ignore[arg-type]
    return told is not None and broker in told["replicas"] and broker not in told["isr"]
