"""Groups that do not settle, on real brokers: takes a home, lands sweeps.

"stuck280"   a member of 2.8.0 joins its group alone, sends heartbeats and never asks for its assignment (KAFKA-12890)
"late280"    a look-alike on the same broker: the leader takes long to assign, and then does
"busy280"    another one there: the group rebalances again and again, and is met in CompletingRebalance at each sweep
"thrown281"  the same as stuck280 at 2.8.1, which throws the member out after its rebalance timeout
"calm411"    a look-alike at 4.1.1: a job that is another member at every sweep, alone in its group; another group rests
"slow411"    the same cluster with consumers that take longer between two polls than max.poll.interval.ms

Entries have thresholds of seconds, since sweeps are seconds apart.
"""

import json
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from kafka import KafkaConsumer, errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.consumer import HeartbeatRequest, JoinGroupRequest, SyncGroupRequest

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.crowd import joined
from fleet_demo.topics import create_topic
from kafka_fleet.collect.sweep import SweepResult
from support.live import scenarios
from support.live.scenarios import avoid_midnight, await_that, spaced

STUCK, LATE, BUSY, THROWN, CALM, SLOW = "stuck280", "late280", "busy280", "thrown281", "calm411", "slow411"
TOPIC, GROUP, SLOW_GROUP = "orders", "billing", "shipping"
SESSION_MS, REBALANCE_MS = 10_000, 3_000
SWEEPS, EVERY_S = 8, 2.0  # longer than a session, at as many sweeps as the rule asks for
CONFIG = {"group.max.session.timeout.ms": SESSION_MS}
MEMBERS, POLL_MS, WORK_S, SLOW_SWEEPS = 12, 3_000, 4.5, 9
RAN = "told-{}.json"  # in the home: what the coordinator told the silent member of a cluster at last
THRESHOLDS = {"rebalance_storm": {"min_stuck_s": 5, "min_unsure_s": 10, "min_unsynced_s": 12, "min_busy_s": 20}}


def sweep(cluster: Cluster, home: Path, name: str) -> SweepResult:
    """One sweep under an id."""
    return scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS)


class SilentMember:
    """A member alone in its group, on one broker: it joins, and sends heartbeats and assignments when it is told to."""

    def __init__(self, cluster: Cluster, group: str) -> None:
        self._client = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
        self._broker, self._group, self._member = cluster.broker_ids[0], group, ""
        await_that(f"{group} has a coordinator", self._join, 60)
        self.told = "NoError"

    def _send(self, request: Any) -> Any:
        return self._client._manager.run(self._client._manager.send, request, self._broker)

    def _join(self) -> bool:
        try:  # the first that asks makes the broker make the offsets topic
            self._client._manager.run(self._client._find_coordinator_ids, [self._group])
        except errors.CoordinatorNotAvailableError:
            return False
        topic = TOPIC.encode()
        subscription = struct.pack(f">hih{len(topic)}si", 0, 1, len(topic), topic, -1)
        made = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=subscription)
        answer = self._send(JoinGroupRequest(
            group_id=self._group, session_timeout_ms=SESSION_MS, rebalance_timeout_ms=REBALANCE_MS,
            member_id=self._member, protocol_type="consumer", protocols=[made], max_version=3,
        ))  # fmt: skip
        if answer.error_code == 0:
            self._generation, self._member = answer.generation_id, answer.member_id
        return bool(answer.error_code == 0)

    def heartbeats(self, seconds: float, whatever: str = "NoError") -> str:
        """Send one each half second; the name of the first error that was told, or NoError.

        whatever: an answer that does not end it.
        """
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.told in ("NoError", whatever):
            answer = self._send(HeartbeatRequest(
                group_id=self._group, generation_id=self._generation, member_id=self._member, max_version=2
            ))  # fmt: skip
            self.told = errors.for_code(answer.error_code).__name__
            time.sleep(0.5)
        return self.told

    def assign(self) -> None:
        """Send the assignment, of nothing. Raises what the coordinator answers."""
        nothing = struct.pack(">hii", 0, 0, -1)
        made = SyncGroupRequest.SyncGroupRequestAssignment(member_id=self._member, assignment=nothing)
        answer = self._send(SyncGroupRequest(
            group_id=self._group, generation_id=self._generation, member_id=self._member, assignments=[made],
            max_version=2,
        ))  # fmt: skip
        if answer.error_code:
            raise errors.for_code(answer.error_code)

    def rebalance(self, seconds: float, takes_s: float = 1.0, rests_s: float = 0.0) -> None:
        """Join again and again, as a leader whose subscription changes; how long each assignment takes, and lasts."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.heartbeats(takes_s)
            self.assign()
            time.sleep(rests_s)
            if not self._join():
                raise ClusterError(f"{self._group} could not join again")

    def close(self) -> None:
        """Its connection ends, and with it nothing else."""
        self._client.close()


@contextmanager
def member(cluster: Cluster, group: str) -> Iterator[SilentMember]:
    """A member that has joined, until the end of the block; its connection alone ends then."""
    made = SilentMember(cluster, group)
    try:
        yield made
    finally:
        made.close()


def late(cluster: Cluster, home: Path) -> None:
    """Sweeps of a group whose leader assigns after some seconds, in which it sends heartbeats."""
    with member(cluster, "late") as leader, ThreadPoolExecutor(1) as pool:
        rested = pool.submit(leader.heartbeats, SESSION_MS / 1000 - 1)
        spaced(SWEEPS // 2, EVERY_S, lambda: sweep(cluster, home, LATE))
        rested.result()
        leader.assign()
        spaced(SWEEPS // 2, EVERY_S / 2, lambda: sweep(cluster, home, LATE))


def busy(cluster: Cluster, home: Path) -> None:
    """Sweeps of a group that rebalances all the time, with one member."""
    with member(cluster, "busy") as leader, ThreadPoolExecutor(1) as pool:
        working = pool.submit(leader.rebalance, SWEEPS * (EVERY_S + 1))
        spaced(SWEEPS, EVERY_S, lambda: sweep(cluster, home, BUSY))
        working.result()
        leader.assign()


def silent(release: str, home: Path, name: str) -> str:
    """Sweeps of a cluster one of whose groups waits for the silent member; what that one was told at last."""
    with Cluster(name, release, brokers=1, racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        create_topic(cluster, TOPIC)
        if name == STUCK:
            late(cluster, home)
            busy(cluster, home)
        with member(cluster, GROUP) as leader, ThreadPoolExecutor(1) as pool:
            told = pool.submit(leader.heartbeats, SWEEPS * (EVERY_S + 1))
            spaced(SWEEPS, EVERY_S, lambda: sweep(cluster, home, name))
            return told.result()


@contextmanager
def working(consumers: list[KafkaConsumer], work_s: float) -> Iterator[None]:
    """Every consumer polls, works for so long, and polls again, for the length of the block."""
    over = Event()

    def work(one: KafkaConsumer) -> None:
        while not over.is_set():
            one.poll(timeout_ms=2_000)  # long enough to join: who stops before leaves the group without members
            over.wait(work_s)
        one.close(autocommit=False, timeout_ms=2_000)

    threads = [Thread(target=work, args=(one,), daemon=True) for one in consumers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(30)


def calm(cluster: Cluster, home: Path) -> None:
    """Sweeps at which the job is another member each time."""
    resting = [joined(cluster.bootstrap, TOPIC, "audit")]
    with working(resting, 0.2):
        for _ in range(SLOW_SWEEPS):
            job = joined(cluster.bootstrap, TOPIC, "nightly")
            sweep(cluster, home, CALM)
            job.close(autocommit=False, timeout_ms=2_000)


def slow(cluster: Cluster, home: Path) -> None:
    """Sweeps of a group whose members work for longer than they may between two polls."""
    settings: dict[str, Any] = {
        "max_poll_interval_ms": POLL_MS,
        "session_timeout_ms": SESSION_MS,
        "heartbeat_interval_ms": 500,
    }
    made = [
        KafkaConsumer(
            TOPIC, bootstrap_servers=cluster.bootstrap_servers, group_id=SLOW_GROUP, client_id=f"worker-{n}", **settings
        )
        for n in range(MEMBERS)
    ]
    with working(made, WORK_S):
        time.sleep(WORK_S)
        spaced(SLOW_SWEEPS, WORK_S, lambda: sweep(cluster, home, SLOW))


def current(home: Path) -> None:
    """Look-alikes, then the storm, on one broker of 4.1.1."""
    with Cluster("rebalances411", "4.1.1", brokers=1, racks=()) as cluster:
        create_topic(cluster, TOPIC, partitions=MEMBERS)
        calm(cluster, home)
        slow(cluster, home)


def waiting(home: Path) -> None:
    """The affected release alone; a minute. Raises ClusterError when a broker does not start."""
    avoid_midnight(150)
    (home / RAN.format(STUCK)).write_text(json.dumps(silent("2.8.0", home, STUCK)))


def others(home: Path) -> None:
    """The fixed release, and a current one; two minutes. Raises ClusterError when a broker does not start."""
    avoid_midnight(300)
    with ThreadPoolExecutor(2) as pool:
        storm = pool.submit(current, home)
        (home / RAN.format(THROWN)).write_text(json.dumps(silent("2.8.1", home, THROWN)))
        storm.result()
