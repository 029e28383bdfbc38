"""Statistics of committed offsets equal a second computation from their pages in docs/signatures, on random fleets."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from support.generators.fleetgen.shape import DS
from support.generators.generated import Generated
from support.oracles import commit_detections as told
from support.oracles.commits_oracle import CommitsOracle
from support.oracles.growth_oracle import GrowthOracle
from support.oracles.rewind_oracle import RewindOracle, total
from support.oracles.same_rows import limits, of_kind, same

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
Row = dict[str, Any]
EVENT = (
    "cluster", "group_id", "topic", "partition", "from_sweep", "to_sweep", "before_sweep", "committed_offset",
    "absence_sure",
)  # fmt: skip
LATE = (
    "cluster", "group_id", "topic", "partition", "from_sweep", "to_sweep", "cause", "base", "at_most", "there_before",
    "begin_known", "reset_policy",
)  # fmt: skip
SKIPPING = (
    "cluster", "cause", "group_id", "topic", "to_sweep", "reset_policy", "at_most", "there_before", "unexplained",
    "not_read", "at_least", "strength",
)  # fmt: skip
STEP = (
    "cluster", "group_id", "topic", "partition", "from_sweep", "to_sweep", "records_back", "vanished", "coordinator",
    "cause", "sure",
)  # fmt: skip
REWOUND = (
    "cluster", "cause", "group_id", "topic", "from_sweep", "to_sweep", "records_back", "partitions_back",
    "partitions_held", "coordinator", "rewound_groups", "read_again_with_earliest", "skipped_with_latest", "sure",
)  # fmt: skip
LOST = (
    "cluster", "topic", "lost_partition", "from_sweep", "to_sweep", "from_broker", "broker", "from_log_end_offset",
    "log_end_offset", "records_lost", "led_in_isr", "unclean_elections", "sure",
)  # fmt: skip
UNCLEAN = (
    "cluster", "topic", "lost_partition", "from_sweep", "to_sweep", "from_broker", "broker", "unclean_elections",
    "same_topic", "proven",
)  # fmt: skip
UNSAFE = "cluster", "broker", "offsets_log_mb"


@pytest.fixture(scope="module")
def growth(fleets: Generated) -> GrowthOracle:
    return GrowthOracle(fleets.home, DS, limits("partition_growth"))


@pytest.fixture(scope="module")
def rewind(fleets: Generated) -> RewindOracle:
    return RewindOracle(fleets.home, DS, limits("offset_rewind"))


def equal(fleets: Generated, view: str, expected: Iterable[Row], columns: tuple[str, ...]) -> list[Row]:
    """A step of a signature, or a fact table, holds the expected rows; gives these."""
    rows = list(expected)
    same(of_kind(fleets.views.get(view) or fleets.facts(view), "commits"), rows, columns)
    return rows


def rewound_groups(rows: Iterable[Row]) -> Iterator[Row]:
    """Steps back that are long enough, by group, topic, cause and sweep."""
    steps: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row["is_long"]:
            steps[tuple(row[name] for name in ("cluster", "cause", "group_id", "topic", "to_sweep"))].append(row)
    for own in steps.values():
        assert len({(row["group_records_back"], row["group_sure"]) for row in own}) == 1
        yield own[0] | {
            "from_sweep": min(row["from_sweep"] for row in own), "records_back": own[0]["group_records_back"],
            "partitions_back": len(own), "partitions_held": total(row["group_partitions_held"] for row in own),
            "read_again_with_earliest": total(row["read_again_if_earliest"] for row in own),
            "skipped_with_latest": total(row["skipped_if_latest"] for row in own), "sure": own[0]["group_sure"],
        }  # fmt: skip


def of_cause(fleets: Generated, cause: str) -> list[Row]:
    """What was found of brokers, of one cause."""
    return [row for row in of_kind(fleets.views["broker_findings"], "commits") if row["cause"] == cause]


def test_first_commits_and_returns(fleets: Generated, growth: GrowthOracle) -> None:
    """Every event of the fact table, with the sweep before it and the last one at which the group had not begun."""
    events = [{**event, "absence_sure": growth.absence_sure(event)} for event in growth.events()]
    equal(fleets, "group_starts", events, EVENT)
    assert {row["before_sweep"] is None for row in events} == {True, False}
    assert {row["absence_sure"] for row in events} == {True, False}


@pytest.mark.fault(59)
def test_partition_growth(fleets: Generated, growth: GrowthOracle) -> None:
    """Every late commit with its cause, what each group has skipped in bounds."""
    late = equal(fleets, "late_commits", growth.late(), LATE)
    assert {row["cause"] for row in late} == {"growth", "first_start", "offsets_expired"}
    skipping = equal(fleets, "skipping_groups", growth.skipping(), SKIPPING)
    assert {row["strength"] for row in skipping} == {"conclusive", "suggestive"}
    assert {row["not_read"] > 0 for row in skipping} == {True, False}
    assert {row["unexplained"] is None for row in skipping} == {True, False}


@pytest.mark.fault(31, 59)
def test_offset_rewind(fleets: Generated, rewind: RewindOracle) -> None:
    """Every step back with its cause, every shorter log and unclean leader, every coordinator whose load is unsafe."""
    steps = equal(fleets, "rewound_partitions", rewind.caused(), STEP)
    assert {(row["cause"], row["sure"]) for row in steps} == {
        ("truncation", True), ("manual", True), ("manual", False), ("stale_load", False)
    }  # fmt: skip
    assert {row["vanished"] for row in steps} == {True, False}
    same(list(rewound_groups(of_kind(fleets.views["rewound_partitions"], "commits"))), list(rewind.rewound()), REWOUND)
    losses = [{**row, "lost_partition": row["partition"]} for row in rewind.lost()]
    same(of_cause(fleets, "truncation"), losses, LOST)
    assert {(row["led_in_isr"], row["sure"]) for row in losses} >= {(True, False), (False, True), (None, True)}
    leaders = [{**row, "lost_partition": row["partition"]} for row in rewind.unclean()]
    same(of_cause(fleets, "unclean_election"), leaders, UNCLEAN)
    kinds = {(same, proven) for same in (True, None) for proven in (True, False)}
    assert {(row["same_topic"], row["proven"]) for row in leaders} == kinds
    unsafe = [row for row in of_kind(fleets.views["coordinator_logs"], "commits") if row["unsafe"]]
    same(unsafe, list(rewind.unsafe()), UNSAFE)


@pytest.mark.fault(31, 59)
@pytest.mark.parametrize("signature", ["partition_growth", "offset_rewind"])
def test_detections(fleets: Generated, growth: GrowthOracle, rewind: RewindOracle, signature: str) -> None:
    """Cluster, cause, strength, subjects, bounds and every line of evidence; what is quiet, and what was not seen."""
    names = {line.metric: line.value for line in load_signatures(sql_dir())[signature].evidence}
    expected = told.growth(growth) if signature == "partition_growth" else told.rewind(rewind)
    measured = {
        (cluster, detection["cause"]): told.plain(detection, names)
        for cluster, detections in fleets.detections(signature, "commits").items()
        for detection in detections
    }
    assert measured.keys() == expected.keys()
    for key, wanted in expected.items():
        values = {name: float(value) for name, value in wanted.pop("values").items() if value is not None}
        assert measured[key].pop("values") == pytest.approx(values, rel=1e-9, abs=0.51e-4), key  # 4 decimals are told
        assert told.names_them(signature, measured[key].pop("subjects"), wanted.pop("subjects")), key
        assert measured[key] == wanted, key
    oracle: CommitsOracle = growth if signature == "partition_growth" else rewind
    results = [row for row in fleets.results if row["signature"] == signature and row["cluster"].startswith("commits-")]
    states = {row["cluster"]: row["state"] for row in results}
    found = {cluster for cluster, _cause in expected}
    reads = 1 if signature == "partition_growth" else 2
    quiet = {cluster: "quiet" if told.covered(oracle, cluster, reads) else "not_evaluated" for cluster in states}
    assert states == quiet | dict.fromkeys(found, "detected")
    assert set(quiet.values()) == {"quiet", "not_evaluated"}
