"""A fleet in which nearly every cluster has a fault of its own, beside the same fleet without any.

What the healthy ones are told is the same to the byte, and the letter of each faulty one names its fault with the
coverage. Judged by SIGNATURES: of all brokers' rates, of what Kafka itself says of them, and of every log's ends. All
eight would take half as long again. Takes about half a minute, most of it waiting.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from kafka_fleet.collect.sweep import SweepResult
from kafka_fleet.report.render import write_letter
from support.clusters.faulty_clusters import ELSEWHERE, HEALTHY, HURT, MOVES, SIZES, harm, moving
from support.clusters.simulated_fleet import DS, EVERY, FIRST, HOT, SWEEPS, Fleet, collect, serving
from support.servers.jolokia_simulator import Json
from support.spark_runs.analysed import Analysed, analyse, spark

pytestmark = [pytest.mark.timeout(1800), pytest.mark.sampled]
HOT_PARTITION = f"partition orders-{HOT}"
SIGNATURES = ["isr_stagnation", "offset_rewind", "partition_skew"]


class Story(NamedTuple):
    """Both runs: what was collected and what was made of it; the faulty one's sweeps by cluster."""

    calm: Analysed
    hurt: Analysed
    swept: dict[str, list[SweepResult]]


def judged(home: Path, letters: Iterable[str]) -> Analysed:
    """The day judged by some signatures, with the letters of some clusters."""
    day = analyse(home, DS, signatures=SIGNATURES)
    for name in letters:
        write_letter(home, DS, day.generation, name)
    return day


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("fleet")
    spark()
    with ExitStack() as stack:
        fleet = stack.enter_context(serving(Fleet(SIZES)))
        fleet.brokers["cut-short"][0].topics["payments"] = 40
        collect(fleet, folder / "calm")
        calm = judged(folder / "calm", HEALTHY)
        harm(fleet, stack, folder)
        swept: dict[str, list[SweepResult]] = {}
        for one in collect(fleet, folder / "hurt", moving(fleet)):
            swept.setdefault(one.cluster, []).append(one)
        yield Story(calm, judged(folder / "hurt", SIZES), swept)


def letter(day: Analysed, cluster: str, kind: str = "txt") -> str:
    return (day.home / f"reports/ds={DS}/{day.generation}/{cluster}.{kind}").read_text(encoding="utf-8")


@pytest.mark.fault(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 39, 57)
@pytest.mark.parametrize("cluster", HEALTHY)
def test_the_healthy_are_told_the_same_bytes_as_without_any_fault(story: Story, cluster: str) -> None:
    assert [one.outcomes for one in story.swept[cluster]] == [
        {"ok": HEALTHY[cluster], "partial": 0, "truncated": 0, "failed": 0}
    ] * SWEEPS
    calm, hurt = (json.dumps(one.findings(cluster)) for one in (story.calm, story.hurt))
    assert hurt == calm
    path = f"clusters/{cluster}.json"
    assert story.hurt.outputs()[path] == story.calm.outputs()[path]
    for kind in ("html", "txt"):
        assert letter(story.hurt, cluster, kind) == letter(story.calm, cluster, kind)


def test_there_is_something_to_be_the_same(story: Story) -> None:
    assert len(story.calm.findings("alpha")) > 20
    for name in SIZES:
        found = {signature: state(story.calm, name, signature)["state"] for signature in SIGNATURES}
        assert found == {"isr_stagnation": "quiet", "offset_rewind": "quiet", "partition_skew": "detected"}, name
    assert state(story.calm, "alpha")["detections"][0]["subjects"] == ["topic orders", HOT_PARTITION]


@pytest.mark.fault(5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20, 21, 22, 23, 24, 25, 26, 39, 57)
@pytest.mark.parametrize("cluster", HURT)
def test_a_fault_is_named_in_the_letter_with_its_coverage(story: Story, cluster: str) -> None:
    _row, _hurt, said = HURT[cluster]
    told = " ".join(letter(story.hurt, cluster).split())
    assert said in told
    assert said not in " ".join(story.calm.dossier(cluster)["coverage"]["not_measured"])
    (counts,) = {tuple(one.outcomes.items()) for one in story.swept[cluster]}
    (outcome,) = (name for name, count in counts if count)
    assert f"{SWEEPS} {outcome}" in told
    assert "canary-" not in told
    if outcome == "failed":
        assert f"Broker 1: nothing was read over Jolokia ({said})" in told


@pytest.mark.fault(1, 2, 3, 4, 17, 39)
@pytest.mark.parametrize("cluster", ELSEWHERE)
def test_a_broker_that_cannot_be_reached_is_named_with_why(story: Story, cluster: str) -> None:
    told = " ".join(letter(story.hurt, cluster).split())
    broker = SIZES[cluster]
    assert f"Broker {broker}: nothing was read over Jolokia ({ELSEWHERE[cluster][1]})" in told


@pytest.mark.fault(1)
def test_of_a_cluster_that_was_never_reached_nothing_is_made_up(story: Story) -> None:
    assert {row["verdict"] for row in story.hurt.findings("gone")} == {"unknown"}
    assert {tuple(row["subjects"]) for row in story.hurt.findings("gone")} == {()}
    assert "was never reached" in letter(story.hurt, "gone")


@pytest.mark.fault(2, 20, 21, 24, 28)
@pytest.mark.parametrize("signature", SIGNATURES)
@pytest.mark.parametrize("cluster", ["half-gone", "dropped", "fewer", "limited", "no-ends"])
def test_what_needs_the_unread_partitions_is_not_evaluated(story: Story, cluster: str, signature: str) -> None:
    found = state(story.hurt, cluster, signature)
    dead = (cluster, signature) == ("half-gone", "isr_stagnation")
    assert found["state"] == ("detected" if dead else "not_evaluated")
    (missing,) = found["missing"]
    assert missing.startswith(f"broker {SIZES[cluster]}: ")
    assert f"{signature}: {missing}" in story.hurt.dossier(cluster)["coverage"]["not_measured"]


def rates(story: Story, cluster: str) -> list[tuple[str, int, int, int]]:
    """Topic, partition, leader and number of the sweep at the end, of every rate of a cluster."""
    rows = story.hurt.facts("partition_rates", cluster=cluster)
    assert not any(row["went_back"] for row in rows)
    return sorted((r["topic"], r["partition"], r["broker"], (r["to_sweep"] - FIRST) // EVERY) for r in rows)


def state(day: Analysed, cluster: str, signature: str = "partition_skew") -> Json:
    states = json.loads(day.outputs()["signatures.json"])
    (found,) = (one for one in states if one["cluster"] == cluster and one["signature"] == signature)
    return found


@pytest.mark.fault(33)
def test_a_partition_with_two_leaders_or_none_counts_once_or_not_at_all(story: Story) -> None:
    usual = [("orders", p, 1 + p % 2, sweep) for p in (0, 1, 3, 4, 5) for sweep in (1, 2)]
    assert rates(story, "contested") == usual, "of partition 2 nobody was the leader at the second sweep"
    calm, hurt = (state(day, "contested")["detections"] for day in (story.calm, story.hurt))
    assert [one["subjects"] for one in hurt] == [one["subjects"] for one in calm] == [["topic orders", HOT_PARTITION]]


@pytest.mark.fault(34)
def test_partitions_that_come_or_go_are_compared_where_both_sweeps_have_them(story: Story) -> None:
    usual = [("orders", p, 1, sweep) for p in range(6) for sweep in (1, 2)]
    new, old = [("orders", p, 1, 2) for p in (6, 7)], [("old", p, 1, 1) for p in range(3)]
    assert rates(story, "growing") == sorted([*usual, *new, *old])
    assert {tuple(one.outcomes.items()) for one in story.swept["growing"]} == {
        (("ok", 1), ("partial", 0), ("truncated", 0), ("failed", 0))
    }


@pytest.mark.fault(37)
def test_no_traffic_on_one_partition_is_quiet(story: Story) -> None:
    assert state(story.hurt, "idle")["state"] == "quiet"


@pytest.mark.fault(37)
@pytest.mark.parametrize("kind", ["html", "txt"])
def test_no_letter_has_a_figure_that_is_none(story: Story, kind: str) -> None:
    assert [name for name in SIZES if re.search(r"\b(nan|inf|infinity)\b", letter(story.hurt, name, kind), re.I)] == []


@pytest.mark.fault(2)
def test_the_broker_that_is_down_is_named_once_by_its_short_sets(story: Story) -> None:
    (detection,) = state(story.hurt, "half-gone", "isr_stagnation")["detections"]
    assert (detection["cause"], detection["subjects"]) == ("dead_broker", ["broker 2"])
    (found,) = (one for one in story.hurt.findings("half-gone") if one["cause"] == "dead_broker")
    assert (found["advisory"], found["verdict"], found["subjects"]) == (None, "look_alike", ["broker 2"])
    told = " ".join(letter(story.hurt, "half-gone").split())
    assert told.count("Cause: dead_broker (conclusive)") == told.count("In-sync sets that lack broker") == 1
    assert told.count("time for which the cluster did not list the broker, broker 2;") == 1
    assert told.count("Broker 2: nothing was read over Jolokia") == 1


def test_every_cluster_has_its_letter(story: Story) -> None:
    assert {one["cluster"] for one in json.loads(story.hurt.outputs()["findings.json"])} == set(SIZES)
    assert len(SIZES) == len(HEALTHY) + len(HURT) + len(ELSEWHERE) + len(MOVES)
