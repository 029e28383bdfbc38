"""Statistics of signatures equal a second computation from their pages in docs/signatures, on random small fleets."""

import pytest

from support.generators.fleetgen.shape import DS
from support.generators.generated import Generated, Row
from support.oracles.isr_oracle import IsrOracle
from support.oracles.retriable_oracle import RetriableOracle
from support.oracles.same_rows import limits, of_kind, same
from support.oracles.skew_oracle import SkewOracle

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
WAIT = ("cluster", "topic", "partition", "follower", "from_sweep", "to_sweep", "held_as", "seconds", "records", "lag")
STREAK = ("cluster", "topic", "partition", "leader", "follower", "seconds", "frozen_seconds", "sweeps", "records")
ERROR = ("cluster", "broker", "kind", "to_sweep", "error", "errors", "batches", "cause", "may_lose")
LOSS = ("cluster", "cause", "client", "topic", "to_sweep", "lost", "lost_by_old")
CONTRAST = (
    "cluster", "topic", "ratio", "noise", "between_share", "calm_ratio", "windows", "hot_windows", "cold_windows",
    "hot_records", "cold_records",
)  # fmt: skip
PARTITION = ("cluster", "topic", "partition", "broker", "ratio", "noise", "gini", "robust_z", "topic_share", "hot")


def turn(row: Row) -> tuple[str, str, int, int]:
    return row["cluster"], row["topic"], row["turns"], row["moved"]


@pytest.mark.fault(59)
def test_isr_stagnation(fleets: Generated) -> None:
    """Every wait, every streak, and what is detected."""
    oracle = IsrOracle(fleets.home, DS, limits("isr_stagnation"))
    detections = fleets.detections("isr_stagnation", "sets")
    waits, frozen = list(oracle.waits()), list(oracle.frozen())
    assert {wait["held_as"] for wait in waits} == {
        "changed", "restarted", "unread", "lagging", "reassignment", "idle", "unproven", "expanding", "frozen"
    }  # fmt: skip
    held = of_kind(fleets.views["isr_held"], "sets")
    for wait in (row for row in (*held, *waits) if row["held_as"] == "changed"):
        wait["records"] = None  # of a set that changed they tell nothing
    same(held, waits, WAIT)
    streaks = of_kind(fleets.views["isr_streaks"], "sets")
    same([row for row in streaks if row["cause"] == "frozen"], frozen, STREAK)
    proven = {(row["cluster"], row["topic"], row["partition"]) for row in streaks if row["strength"] == "conclusive"}
    assert proven == {(one["cluster"], one["topic"], one["partition"]) for one in frozen if one["is_proven"]}
    expected = {(one["cluster"], "dead_broker", "conclusive") for one in oracle.absences()}
    expected |= {(one["cluster"], one["cause"], "suggestive") for one in oracle.laggards()}
    sure = {one["cluster"] for one in frozen if one["is_proven"]}
    names = {one["cluster"] for one in frozen}
    expected |= {(name, "frozen", "conclusive" if name in sure else "suggestive") for name in names}
    found = {(name, d["cause"], d["strength"]) for name, rows in detections.items() for d in rows}
    assert found == expected
    assert {cause for _cluster, cause, _strength in found} >= {"frozen", "dead_broker", "catching_up"}


@pytest.mark.fault(59)
def test_retriable_errors(fleets: Generated) -> None:
    """Every error of every interval, and what is detected with its figures."""
    oracle = RetriableOracle(fleets.home, DS, limits("retriable_errors"))
    detections = fleets.detections("retriable_errors", "errors")
    errors = list(oracle.errors())
    same(of_kind(fleets.views["produce_errors"], "errors"), errors, ERROR)
    losses = list(oracle.losses())
    same(of_kind(fleets.views["producer_losses"], "errors"), losses, LOSS)
    assert len({row["cluster"] for row in losses}) > 1
    assert {row["lost_by_old"] is None for row in losses} == {True, False}
    causes = "election", "min_isr", "timeout", None
    assert {(row["cause"], row["may_lose"]) for row in errors} == {(c, lose) for c in causes for lose in (True, False)}
    found = {
        (name, d["cause"], d["strength"], tuple(line["value"] for line in d["evidence"][:2]))
        for name, rows in detections.items()
        for d in rows
    }
    expected = list(oracle.detections())
    assert found == {
        (one["cluster"], one["cause"], one["strength"], (float(one["errors"]), round(one["share"], 4)))
        for one in expected
    }
    assert len({cause for _name, cause, _strength, _values in found}) == 3


@pytest.mark.fault(59)
def test_partition_skew(fleets: Generated) -> None:
    """Every contrast, every partition of an uneven topic, and the cause of each topic."""
    oracle = SkewOracle(fleets.home, DS, limits("partition_skew"))
    detections = fleets.detections("partition_skew", "skew")
    contrasts = [row for row in of_kind(fleets.views["skew_topics"], "skew") if row["by_leader"]]
    partitions = [row for row in of_kind(fleets.views["skew_rates"], "skew") if not row["by_leader"]]
    same(contrasts, list(oracle.contrasts()), CONTRAST)
    same(partitions, list(oracle.partitions()), PARTITION)
    turns = of_kind(fleets.views["skew_turns"], "skew")
    expected = list(oracle.turns())
    assert sorted(map(turn, turns)) == sorted(map(turn, expected))
    assert max(row["turns"] for row in turns) >= 2
    assert max(row["moved"] for row in turns) >= 1
    causes, topics = oracle.causes(), of_kind(fleets.views["partition_skew_detections"], "skew")
    strengths = {(row["cluster"], row["topic"]): row["topic_strength"] for row in topics if row["by_leader"]}
    assert strengths == oracle.strengths()
    told = {(row["cluster"], row["topic"]) for row in of_kind(fleets.views["skew_producers"], "skew")}
    assert told == oracle.told()
    assert set(strengths.values()) == {"conclusive", "suggestive"}
    assert {(row["cluster"], row["topic"]): row["cause"] for row in topics} == causes
    assert set(causes.values()) == {"leader_bound", "adaptive", "key_bound"}
    found = {(name, d["cause"]) for name, rows in detections.items() for d in rows}
    assert found == {(cluster, cause) for (cluster, _topic), cause in causes.items()}
