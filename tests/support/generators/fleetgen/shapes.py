"""Shapes of large and busy clusters: takes a seed and a healthy Spec, gives some of what production has besides.

A draw of its own for each seed, so that what `healthy` draws stays as it is. Shares are assumptions, sizes are those
that operators tell of: 20,000 connections per broker, a sweep every ten minutes of a whole day.
"""

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from support.generators.fleetgen import events
from support.generators.fleetgen.shape import Group, Spec

if TYPE_CHECKING:
    from support.generators.fleetgen.model import Model

SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
CROWDS = (2_000, 5_000, 20_000)  # connections of one library to each broker
COMMITS_S = (0.1, 1.0, 10.0, 60.0)  # between the ends of a producer's transactions
DAY_SWEEPS, DAY_EVERY_S = 144, 600.0
WAKES_FOLLOWERS = "3.3.2"  # KAFKA-14334 is fixed


def widen(seed: int, spec: Spec) -> None:
    """Change the Spec in place; `story` has what came of it."""
    rng = Random(f"{seed} shapes")  # noqa: S311
    spec.headroom, spec.busy_threads = rng.uniform(1.3, 6), True
    if rng.random() < 0.1:
        rng.choice(spec.clients).connections = rng.choice(CROWDS)
        spec.story.append("a crowd of clients")
    if rng.random() < 0.06:
        hours = range(int(spec.sweeps * spec.every_s // 3600), int(DAY_SWEEPS * DAY_EVERY_S // 3600))
        spec.sweeps, spec.every_s = DAY_SWEEPS, DAY_EVERY_S
        spec.events += [(hour * 3600.0 + rng.uniform(0, 3000), events.retention) for hour in hours]
        spec.story.append("a whole day of sweeps")
    if rng.random() < 0.3:
        topics = rng.sample(spec.topics, min(len(spec.topics), 2))
        spec.groups += [Group(f"loose-{n}", [one.name], anonymous=True) for n, one in enumerate(topics)]
        spec.story.append("readers without a group")
    if spec.racks and _at_least(spec.release, WAKES_FOLLOWERS) and rng.random() < 0.5:
        spec.configs["replica.selector.class"] = SELECTOR
        for group in spec.groups:
            group.serve = _in_rack(rng.randrange(3))
        spec.story.append("followers that serve")
    busy = [topic for topic in spec.topics if topic.rate > 1]
    if busy and rng.random() < 0.25:
        topic = rng.choice(busy)
        topic.commit_every_s = rng.choice(COMMITS_S)
        for group in [one for one in spec.groups if topic.name in one.topics]:
            group.committed = rng.random() < 0.7
        # readers of what is committed wait at leaders as others do at followers that do not wake them
        spec.open |= {("fetch_latency", "follower"), ("fetch_latency", "min_bytes")}
        spec.story.append(f"transactions of {topic.commit_every_s:g} s")


def narrow(spec: Spec) -> None:
    """Take back what the statistic of a planted fault is counted with: its size is set to a factor of a threshold."""
    spec.sweeps, spec.every_s, spec.busy_threads = 24, 900.0, False
    spec.groups = [one for one in spec.groups if not one.anonymous]
    spec.configs.pop("replica.selector.class", None)
    for group in spec.groups:
        group.serve, group.committed = None, False
    for topic in spec.topics:
        topic.commit_every_s = 0.0


def _at_least(release: str, least: str) -> bool:
    return [int(part) for part in release.split(".")] >= [int(part) for part in least.split(".")]


def _in_rack(rack: int) -> "Callable[[Model, str, int], int | None]":
    """Where readers of a rack are sent: to a replica there that is in sync, else to the leader."""

    def serve(model: "Model", topic: str, number: int) -> int | None:
        near = [one for one in model.logs[topic, number].isr if one % 3 == rack and model.brokers[one].up]
        return near[0] if near else None

    return serve
