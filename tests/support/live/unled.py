"""Partitions whose replicas in sync are all lost, where unclean elections are allowed: takes a home, lands sweeps.

"unled381"     the other replica is back, and the controller of 3.8.1 does not make it leader
"installed411" the same steps at 4.1.1, whose controller does; sweeps see the set before and the leader after
"unseen411"    again, and the first leader leads again before the next sweep: of the election only its count is left
"eligible411"  a look-alike: with eligible leader replicas (KIP-966) the last leader, which was killed, is elected and
               counted alike

Entries have thresholds of seconds, since sweeps are seconds apart.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import Cluster
from fleet_demo.node import Node
from fleet_demo.topics import create_topic
from support.live import availability
from support.live.scenarios import avoid_midnight, await_that, in_sync, spaced
from support.live.unclean import leads

UNLED, ELECTED, UNSEEN, ELIGIBLE = "unled381", "installed411", "unseen411", "eligible411"
LEADER, FOLLOWER = 2, 3
SWEEPS, EVERY_S = 3, 1.5
ALLOWED, FORBIDDEN = "payments", "ledger"
PREFERRED = 0  # of ElectLeaders
ELIGIBLE_REPLICAS = "eligible.leader.replicas.version"
CONFIG = {
    "broker.session.timeout.ms": 6000,
    "auto.leader.rebalance.enable": "false",
    "offsets.topic.replication.factor": 3,
    "unclean.leader.election.enable": "true",
}
OFFLINE = "kafka.controller:type=KafkaController,name=OfflinePartitionsCount"
COUNT = "kafka.controller:type=ControllerStats,name=UncleanLeaderElectionsPerSec"


class WithoutEligible(Cluster):
    """A cluster of 4.1 or later that does not keep eligible leader replicas, as one that was upgraded."""

    def _format_options(self, _node: Node) -> list[str]:
        return ["--feature", f"{ELIGIBLE_REPLICAS}=0"]


def _sweeps(cluster: Cluster, home: Path, name: str) -> None:
    spaced(SWEEPS, EVERY_S, lambda: availability.sweep(cluster, home, name))


def _lose_leader(cluster: Cluster, topic: str, between: Callable[[], object] = lambda: None) -> None:
    """The follower is killed and misses records, then the leader is killed."""
    cluster.kill_broker(FOLLOWER)
    await_that("a set without the follower", lambda: in_sync(cluster, LEADER, topic) == 1)
    availability.write(cluster, topic, 6)
    between()
    cluster.kill_broker(LEADER)


def _unclean(cluster: Cluster, between: Callable[[], object] = lambda: None) -> None:
    """The follower comes back alone, and the controller makes it leader."""
    _lose_leader(cluster, ALLOWED, between)
    cluster.start_broker(FOLLOWER)
    await_that("an unclean election", lambda: leads(cluster, FOLLOWER, ALLOWED, 1))


def _preferred(cluster: Cluster) -> None:
    """The first leader is back, in sync and leads."""
    cluster.start_broker(LEADER)
    await_that("both in sync", lambda: in_sync(cluster, FOLLOWER, ALLOWED) == 2)
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
    try:
        admin.elect_leaders(PREFERRED, {ALLOWED: [0]})
    finally:
        admin.close()
    await_that("the first leader leads", lambda: leads(cluster, LEADER, ALLOWED, 1))


def _last_known(cluster: Cluster) -> None:
    """Eligible replicas are kept from now on; both replicas are killed, and the last leader is the first to be back."""
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
    try:
        admin.update_features({ELIGIBLE_REPLICAS: 1})
    finally:
        admin.close()
    before = cluster.jolokia(1, COUNT, "Count")
    _lose_leader(cluster, FORBIDDEN)
    cluster.start_broker(LEADER)
    await_that("the last leader leads", lambda: leads(cluster, LEADER, FORBIDDEN, 1))
    await_that("it is counted", lambda: cluster.jolokia(1, COUNT, "Count") > before)
    cluster.start_broker(FOLLOWER)
    await_that("both in sync", lambda: in_sync(cluster, LEADER, FORBIDDEN) == 2)


def _topics(cluster: Cluster) -> None:
    create_topic(cluster, ALLOWED, replica_assignment={0: [LEADER, FOLLOWER]})
    create_topic(
        cluster,
        FORBIDDEN,
        replica_assignment={0: [LEADER, FOLLOWER]},
        config={"unclean.leader.election.enable": "false"},
    )


def ignored(home: Path) -> None:
    """The release that ignores what is allowed."""
    with Cluster("unclean381", "3.8.1", brokers=3, racks=(), broker_config=CONFIG) as cluster:
        _topics(cluster)
        availability.sweep(cluster, home, UNLED)
        _lose_leader(cluster, ALLOWED)
        cluster.start_broker(FOLLOWER)
        await_that("a partition without a leader", lambda: cluster.jolokia(1, OFFLINE, "Value") > 0)
        _sweeps(cluster, home, UNLED)


def heeded(home: Path) -> None:
    """The release that elects, without and with eligible leader replicas."""
    with WithoutEligible("unclean411", "4.1.1", brokers=3, racks=(), broker_config=CONFIG) as cluster:
        _topics(cluster)
        availability.sweep(cluster, home, ELECTED)
        _unclean(cluster, lambda: availability.sweep(cluster, home, ELECTED))
        _sweeps(cluster, home, ELECTED)
        _preferred(cluster)
        _sweeps(cluster, home, UNSEEN)
        _unclean(cluster)
        _preferred(cluster)
        _sweeps(cluster, home, UNSEEN)
        availability.sweep(cluster, home, ELIGIBLE)
        _last_known(cluster)
        _sweeps(cluster, home, ELIGIBLE)


def run(home: Path) -> None:
    """Both releases side by side; some 100 s. Raises ClusterError when a fault does not come about."""
    avoid_midnight(300)
    with ThreadPoolExecutor(2) as pool:
        for one in [pool.submit(ignored, home), pool.submit(heeded, home)]:
            one.result()
