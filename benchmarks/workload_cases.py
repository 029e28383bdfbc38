"""What `benchmarks.workloads` runs: named workloads, from leaders or followers, and what may be said of each.

A fetch workload has one topic of nine partitions over three brokers in three racks; each leads a third of it. From
`leaders`, no reader has a rack. From `followers` there is a member per partition, and each reads in its own rack: every
broker serves readers of its own partitions and of the others' at once.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

TOPIC, PARTITIONS, RACKS = "orders", 9, ("a", "b", "c")
QUIET = "quiet"  # a topic that gets no records
LEADERS = {p: [1 + p % 3, 1 + (p + 1) % 3, 1 + (p + 2) % 3] for p in range(PARTITIONS)}
AFFECTED, FIXED = "3.3.1", "3.3.2"  # of KAFKA-14334
BUG = "KAFKA-14334"
FOUNDING = (BUG, "KAFKA-13767", "KAFKA-10888", "KAFKA-9648", "CFG-LISTEN-BACKLOG", "KAFKA-12261", "KAFKA-12686",
            "KAFKA-12964")  # fmt: skip
PER_S = 45.0  # records/s of the topic: five per partition
Json = dict[str, Any]
Readers = Callable[[str], list[Json]]


class Workload(NamedTuple):
    """Writers and readers of one workload, both as workload_clients takes them.

    bug: whether the delayed readers of the affected release have to be confirmed. No answer is required where hardly
    any fetch is delayed, because records become readable all at once and rarely, and where prompt or idle readers of
    the same brokers make the same numbers (docs/signatures/fetch_latency.md, what cannot be told).
    """

    about: str
    writers: list[Json]
    readers: Readers
    topics: Mapping[str, Mapping[str, object]] = {TOPIC: {}}
    bug: bool = True


def members(side: str, topic: str = TOPIC, group: str = "billing", **more: object) -> list[Json]:
    """One member per partition. From followers, member i of nine, which gets partition i, sits in rack i / 3."""
    racks = [RACKS[i // 3] if side == "followers" else None for i in range(PARTITIONS)]
    return [{"topic": topic, "group": group, "rack": rack, **more} for rack in racks]


def _with_idle(side: str) -> list[Json]:
    """Besides the members fourteen readers without a group wait for records of a topic that gets none."""
    idle = [{"topic": "_schemas", "group": None, "rack": RACKS[i % 3] if side == "followers" else None}
            for i in range(14)]  # fmt: skip
    return [*members(side), *idle]


def _beside_fast(side: str) -> list[Json]:
    """Thirty members of other groups read from leaders; five members read from followers, or from leaders too."""
    fast = [{"topic": TOPIC, "group": f"fast-{g}", "rack": None} for g in range(5) for _ in range(6)]
    # one member gets two partitions or one, of which the leader sits elsewhere for most
    slow = [{"topic": TOPIC, "group": "delayed", "rack": "b" if side == "followers" else None} for _ in range(5)]
    return [*fast, *slow]


def _slow(side: str) -> list[Json]:
    """Members that still hold records of a busy partition, and wait at its broker with their idle ones alone."""
    return members(side, also=[QUIET], slow_s=0.1)


def _writer(shape: str = "steady", **more: object) -> list[Json]:
    return [{"topic": TOPIC, "per_s": PER_S, "shape": shape, **more}]


def _committed(side: str) -> list[Json]:
    return members(side, isolation="read_committed")


COMPACTED = {"cleanup.policy": "compact", "segment.ms": 10_000, "min.cleanable.dirty.ratio": 0.01}
WORKLOADS: dict[str, Workload] = {
    "steady": Workload("five records a second and partition", _writer(), members),
    "random": Workload("the same, each at a random time", _writer("random"), members),
    "bursts": Workload("two seconds of each twenty", _writer("bursts"), members, bug=False),
    "together": Workload("agents that publish at :00, :10 …", _writer("together"), members, bug=False),
    "checkpoints": Workload("written and committed together every ten seconds, read committed",
                            _writer(commit_s=10, at_once=True), _committed, bug=False),
    "transactions": Workload("written steadily, committed every three seconds, read committed",
                             _writer(commit_s=3), _committed, bug=False),
    "compacted": Workload("a compacted topic of a hundred keys", _writer(keys=100), members, {TOPIC: COMPACTED}),
    "idle-readers": Workload("fourteen readers without a group beside", _writer(), _with_idle,
                             {TOPIC: {}, "_schemas": {"cleanup.policy": "compact"}}, bug=False),
    "beside-fast": Workload("five delayed readers beside thirty prompt ones", _writer(), _beside_fast, bug=False),
    "busy-and-idle": Workload("slow members with partitions of a busy and of an idle topic", _writer(), _slow,
                              {TOPIC: {}, QUIET: {}}, bug=False),
}  # fmt: skip
