"""Two sweeps of one cluster at once: one of them is stored, so that no offset seems to go back."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_fleet.cli.main import main
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.collect.sweep_result import SweepResult
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.store.raw.latest_sweep import Overlapped, advance_latest, latest
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.homes.bucket_home import RIVALS, next_home, rivals
from support.servers.jolokia_simulator import Agent, agent
from support.servers.wire_broker import Broker, Group, assignment, running

pytestmark = pytest.mark.fault(36)

CLUSTER = "orders-eu"
LIMITS = Limits()
MEMBERS = {"m": assignment(orders=[0, 1])}
NOBODY = {"bootstrap_servers": ["127.0.0.1:1"], "jolokia": {"brokers": {7: "http://127.0.0.1:1/jolokia"}}}


class Gate:
    """One request for committed offsets: when it came, and when it may be answered."""

    def __init__(self) -> None:
        self.asked, self.open = threading.Event(), threading.Event()


class Busy(Broker):
    """Its group commits all the time; an answer for which there is a gate waits, and has what is newest then."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.gates: list[Gate] = []
        self.commits = 0

    def _OffsetFetchRequest(self, request: Any, version: int) -> Any:
        if self.gates:
            gate = self.gates.pop(0)
            gate.asked.set()
            assert gate.open.wait(60)
        self.commits += 100
        self.groups = {"billing": Group(commits={("orders", p): self.commits for p in (0, 1)}, members=MEMBERS)}
        return super()._OffsetFetchRequest(request, version)


class Swept:
    """One cluster of the fleet file, and a home."""

    def __init__(self, server: str, url: str, broker: Busy, folder: Path, pool: ThreadPoolExecutor) -> None:
        self.broker, self.home, self.file, self.pool = broker, folder / "home", folder / "fleet.yaml", pool
        self.entry = {
            "id": CLUSTER,
            "environment": "development",
            "owners": ["oncall@example.org"],
            "bootstrap_servers": [server],
            "jolokia": {"brokers": {7: url}},
        }
        self.file.write_text(yaml.safe_dump({"version": 1, "clusters": [self.entry]}))

    def sweep(self, limits: Limits = LIMITS, **changes: Any) -> SweepResult:
        (cluster,) = parse_fleet({"version": 1, "clusters": [{**self.entry, **changes}]}, "f").clusters
        return sweep_cluster(cluster, self.home, local_credentials({}), limits)

    def slow(self) -> Callable[[], SweepResult]:
        """Begin a sweep that waits for its committed offsets; what it gives lets it go on and waits for its end."""
        gate = Gate()
        self.broker.gates.append(gate)
        found: Future[SweepResult] = self.pool.submit(self.sweep)
        assert gate.asked.wait(60)

        def end() -> SweepResult:
            gate.open.set()
            return found.result(60)

        return end

    def stored(self) -> list[str]:
        whole, damaged = manifests(self.home, datetime.now(UTC).date())
        assert damaged == []
        return [one.sweep for one in whole]

    def committed(self) -> list[tuple[datetime, int]]:
        """When it was read, and how far the group was, in the order of sweeps."""
        rows = read_rows(self.home, manifests(self.home, datetime.now(UTC).date())[0], "group_offsets")
        return [(row["read_at"], row["committed_offset"]) for row in rows if row["partition"] == 0]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Swept]:
    if (now := datetime.now(UTC)).hour == 23 and now.minute >= 58:
        time.sleep(121)  # one day has all of it
    with (
        running({"billing": Group(members=MEMBERS)}, kind=Busy) as (server, broker),
        agent(Agent({"orders": 2})) as one,
        ThreadPoolExecutor(2) as pool,
    ):
        yield Swept(server, one.url, broker, tmp_path, pool)


def told(sweep: str) -> str:
    return f"{CLUSTER}: nothing of this sweep is stored: another one of the cluster, {sweep}, was while it ran"


def test_of_a_slow_sweep_and_one_by_hand_the_one_that_ends_first_is_stored(cluster, capsys):
    before = cluster.sweep()
    end = cluster.slow()
    assert main(["collect", "--fleet", str(cluster.file), "--home", str(cluster.home)]) == 0
    by_hand = cluster.stored()[-1]
    slow = end()
    assert (slow.manifest, slow.overtaken, slow.summary()) == (None, told(by_hand), told(by_hand))
    assert not slow.all_failed, "its task is not that of a cluster which was not reached"
    after = cluster.sweep()
    assert cluster.stored() == [before.manifest.sweep, by_hand, after.manifest.sweep]
    assert cluster.committed() == sorted(cluster.committed()), "read in this order, and no offset went back"
    names = [path.name.removesuffix(".parquet").partition(".")[2] for path in cluster.home.rglob("*.parquet")]
    assert set(names) == set(cluster.stored()), "nothing is left of the other one"


def test_the_command_says_that_its_sweep_came_too_late(cluster, capsys):
    end = cluster.slow()
    gate = Gate()
    cluster.broker.gates.append(gate)
    by_hand = cluster.pool.submit(main, ["collect", "--fleet", str(cluster.file), "--home", str(cluster.home)])
    assert gate.asked.wait(60)
    scheduled = end()
    gate.open.set()
    assert by_hand.result(60) == 0, "the cluster was measured, a moment ago"
    assert cluster.stored() == [scheduled.manifest.sweep], "the later one may have read before the other had read all"
    assert told(scheduled.manifest.sweep) in capsys.readouterr().out.splitlines()


def test_a_sweep_that_reads_nothing_is_in_nobodys_way(cluster):
    end = cluster.slow()
    blind = cluster.sweep(LIMITS._replace(deadline_s=1.0), **NOBODY)
    slow = end()
    assert blind.all_failed
    assert [slow.overtaken, blind.overtaken] == [None, None]
    assert cluster.stored() == [slow.manifest.sweep, blind.manifest.sweep]


def test_when_offsets_were_read_is_said_by_the_answer(cluster):
    end = cluster.slow()
    asked = datetime.now(UTC)
    end()
    ((read_at, offset),) = cluster.committed()
    assert read_at > asked
    assert offset == 100


def test_a_collector_that_dies_on_its_way_locks_nobody_out(cluster):
    cluster.sweep()
    advance_latest(
        cluster.home, CLUSTER, latest(cluster.home, CLUSTER), "a sweep whose manifest was not written any more"
    )
    assert cluster.sweep().overtaken is None
    assert len(cluster.stored()) == 2


def one_of_many(home: Path) -> None:
    for number in range(2):
        before = latest(home, CLUSTER)
        assert before == (None if number == 0 else "the next")
        found = rivals(lambda rival, seen=before: advance_latest(home, CLUSTER, seen, f"sweep {rival}"))
        (won,) = (rival for rival, one in enumerate(found) if one is None)
        assert sum(isinstance(one, Overlapped) for one in found) == RIVALS - 1
        assert latest(home, CLUSTER) == f"sweep {won}"
        for _ in range(2):  # as where the answer to the first was lost
            advance_latest(home, CLUSTER, f"sweep {won}", "the next")


def test_one_of_many_rivals_is_stored(tmp_path):
    one_of_many(tmp_path)


def test_one_of_many_rivals_is_stored_in_a_bucket(bucket_server):
    one_of_many(next_home())


def test_other_clusters_are_no_rivals(tmp_path):
    advance_latest(tmp_path, CLUSTER, None, "one")
    advance_latest(tmp_path, f"{CLUSTER}-2", None, "other")
    assert [latest(tmp_path, name) for name in (CLUSTER, f"{CLUSTER}-2")] == ["one", "other"]
