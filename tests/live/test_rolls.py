"""A roll of three real brokers: ready before it, not ready while one is away, ready again; and its report."""

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fleet_demo.cluster import Cluster
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.live.commands import fleet_command
from support.live.scenarios import avoid_midnight, sweep

pytestmark = [pytest.mark.timeout(1800), pytest.mark.sampled]
NAME, RELEASE = "rolled", "3.9.1"
WAIT_S = 120.0


class Room(NamedTuple):
    """Of each broker what the host tells, and beside it what a sweep of the same seconds stored."""

    descriptors: dict[int, tuple[int, int]]
    volumes: dict[int, tuple[int, int]]
    metrics: dict[int, dict[str, Any]]
    disks: dict[int, dict[str, Any]]


def room_of(cluster: Cluster, home: Path) -> Room:
    """After a sweep: open descriptors and their limit of each process, size and free bytes of its volume (as df)."""
    sweep(cluster, home)
    descriptors, volumes = {}, {}
    for broker in cluster.broker_ids:
        process = Path(f"/proc/{cluster.pids[broker]}")
        (limit,) = [line for line in (process / "limits").read_text().splitlines() if line.startswith("Max open files")]
        descriptors[broker] = len(list((process / "fd").iterdir())), int(limit.split()[4])
        volume = os.statvfs(cluster.nodes[broker].folder / "data")
        volumes[broker] = volume.f_blocks * volume.f_frsize, volume.f_bavail * volume.f_frsize
    last = max(manifests(home, f"{datetime.now(UTC):%Y-%m-%d}")[0], key=lambda one: one.sweep_at)
    metrics = {one["broker"]: one for one in read_rows(home, [last], "broker_metrics")}
    return Room(descriptors, volumes, metrics, {one["broker"]: one for one in read_rows(home, [last], "disks")})


class Rolled(NamedTuple):
    """Answers of `ready` before the roll, with broker 2 away, and after it; the rolls of the judged day."""

    before: dict[str, Any]
    away: dict[str, Any]
    after: dict[str, Any]
    exit_codes: list[int]
    rolls: dict[str, Any]
    rack: dict[str, Any]
    room: Room


def ask(home: Path, *words: str) -> tuple[int, dict[str, Any]]:
    verb, *rest = words
    done = fleet_command(verb, "--home", str(home), "--cluster", NAME, "--json", *rest)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def ready_until(cluster: Cluster, home: Path, code: int) -> tuple[int, dict[str, Any]]:
    """Sweep and ask until the exit code is the one that must come: an in-sync set takes its time."""
    checked = ["--checked", "not_judged"]
    end = time.monotonic() + WAIT_S
    while True:
        sweep(cluster, home)
        found = ask(home, "ready", *checked)
        if found[0] == code or time.monotonic() > end:
            return found
        time.sleep(2)


@pytest.fixture(scope="module")
def rolled(tmp_path_factory: pytest.TempPathFactory) -> Rolled:
    home = tmp_path_factory.mktemp("rolled") / "home"
    three = {"min.insync.replicas": 2, "offsets.topic.replication.factor": 3}
    with Cluster(NAME, RELEASE, brokers=3, racks=("a", "b", "c"), controllers="dedicated", broker_config=three) as one:
        avoid_midnight(400)
        create_topic(one, "orders", replica_assignment={0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1, 2]})
        writer, reader = Producer(one, "orders", 20), Consumer(one, "orders", group="billing")
        try:
            sweep(one, home)
            before = ready_until(one, home, 0)
            room = room_of(one, home)
            rack = ask(home, "what-if", "rack", "--rack", "b")[1]
            one.stop_broker(2)
            away = ready_until(one, home, 1)
            one.start_broker(2)
            after = ready_until(one, home, 0)
        finally:
            writer.stop(0)
            reader.stop(0)
    ds = after[1]["sweep_at"][:10]
    done = fleet_command("analyze", "--home", str(home), "--date", ds)
    assert done.returncode == 0, done.stderr
    return Rolled(before[1], away[1], after[1], [before[0], away[0], after[0]], ask(home, "roll")[1], rack, room)


def test_the_exit_code_follows_the_roll(rolled: Rolled) -> None:
    assert rolled.exit_codes == [0, 1, 0]
    assert [one["state"] for one in rolled.before["brokers"]] == ["ready"] * 3


def test_room_is_that_of_the_host(rolled: Rolled) -> None:
    room = rolled.room
    assert room.disks.keys() == room.volumes.keys() == {1, 2, 3}
    for broker, (total, free) in room.volumes.items():
        assert room.disks[broker]["log_dir"].endswith("/data")
        assert room.disks[broker]["total_bytes"] == total
        assert room.disks[broker]["usable_bytes"] == pytest.approx(free, abs=2 * 2**30), "others write there, too"
    for broker, (opened, most) in room.descriptors.items():
        assert room.metrics[broker]["max_file_descriptors"] == most
        assert room.metrics[broker]["open_file_descriptors"] == pytest.approx(opened, abs=30), "connections come and go"
        assert opened > 100


def test_room_is_measured_and_enough(rolled: Rolled) -> None:
    told = {one["code"]: one for one in rolled.after["reasons"]}
    assert told["disk_fits"]["level"] == told["descriptors_fit"]["level"] == "notes"
    assert int(told["disk_fits"]["about"]) > 0, "a producer writes"
    assert not {"disk_unread", "growth_unread", "descriptors_unread"} & {
        one["code"] for one in rolled.before["reasons"]
    }


def test_while_a_broker_is_away_no_other_may_go(rolled: Rolled) -> None:
    blocks = [(one["code"], one["broker"]) for one in rolled.away["reasons"] if one["level"] == "blocks"]
    assert {("under_min_isr", 1), ("under_min_isr", 3)} <= set(blocks)
    named = [one["names"] for one in rolled.away["reasons"] if one["code"] == "under_min_isr"]
    assert all("orders" in names for names in named)
    assert "out_of_sync_now" in {one["code"] for one in rolled.away["reasons"]}


def test_a_lost_rack_moves_leaders_and_harms_nothing(rolled: Rolled) -> None:
    assert rolled.rack["brokers"] == [2]
    assert {one["code"] for one in rolled.rack["reasons"] if one["level"] == "blocks"} == set()
    (leaders,) = [one["count"] for one in rolled.rack["reasons"] if one["code"] == "rack_leaders"]
    assert leaders >= 1


def test_the_report_has_the_restart(rolled: Rolled) -> None:
    (one,) = rolled.rolls["rolls"]
    (restart,) = one["restarts"]
    assert (one["kind"], restart["broker"], restart["from_release"], restart["to_release"]) == (
        "restart", 2, RELEASE, RELEASE,
    )  # fmt: skip
    assert restart["stop"] != "killed"
    assert restart["last_seen"] < restart["process_start"] < restart["first_seen"]
    assert 0 < restart["start_seconds"] < 120
    assert restart["in_sync"] is not None
    assert 0 < restart["away_seconds"] < 300
    assert one["under_min_isr"] == {"at_least": 0, "at_most": 0, "most": 0}
    assert {made["broker"] for made in one["reconnects"]} == {2}
