"""A roll of three real brokers: ready before it, not ready while one is away, ready again; and its report."""

import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fleet_demo.cluster import Cluster
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from kafka_fleet.roll.readiness import NEVER_READ
from support.live.commands import fleet_command
from support.live.scenarios import avoid_midnight, sweep

pytestmark = [pytest.mark.timeout(1800), pytest.mark.sampled]
NAME = "rolled"
WAIT_S = 120.0


class Rolled(NamedTuple):
    """Answers of `ready` before the roll, with broker 2 away, and after it; the rolls of the judged day."""

    before: dict[str, Any]
    away: dict[str, Any]
    after: dict[str, Any]
    exit_codes: list[int]
    rolls: dict[str, Any]
    rack: dict[str, Any]


def ask(home: Path, *words: str) -> tuple[int, dict[str, Any]]:
    verb, *rest = words
    done = fleet_command(verb, "--home", str(home), "--cluster", NAME, "--json", *rest)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def ready_until(cluster: Cluster, home: Path, code: int) -> tuple[int, dict[str, Any]]:
    """Sweep and ask until the exit code is the one that must come: an in-sync set takes its time."""
    checked = [word for one in (*NEVER_READ, "not_judged") for word in ("--checked", one)]
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
    with Cluster(NAME, "3.3.2", brokers=3, racks=("a", "b", "c"), controllers="dedicated", broker_config=three) as one:
        avoid_midnight(400)
        create_topic(one, "orders", replica_assignment={0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1, 2]})
        writer, reader = Producer(one, "orders", 20), Consumer(one, "orders", group="billing")
        try:
            sweep(one, home)
            before = ready_until(one, home, 0)
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
    return Rolled(before[1], away[1], after[1], [before[0], away[0], after[0]], ask(home, "roll")[1], rack)


def test_the_exit_code_follows_the_roll(rolled: Rolled) -> None:
    assert rolled.exit_codes == [0, 1, 0]
    assert [one["state"] for one in rolled.before["brokers"]] == ["ready"] * 3


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
        "restart", 2, "3.3.2", "3.3.2",
    )  # fmt: skip
    assert restart["stop"] != "killed"
    assert restart["last_seen"] < restart["process_start"] < restart["first_seen"]
    assert 0 < restart["start_seconds"] < 120
    assert restart["in_sync"] is not None
    assert 0 < restart["away_seconds"] < 300
    assert one["under_min_isr"] == {"at_least": 0, "at_most": 0, "most": 0}
    assert {made["broker"] for made in one["reconnects"]} == {2}
