"""Processes of the demonstration: none outlives its starter, and nothing listens beyond the loopback interface."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fleet_demo import processes, reaper
from fleet_demo.node import Node, broker_properties, jvm, zookeeper_properties

STARTER = """
import sys, time
from pathlib import Path
from fleet_demo.processes import spawn
print(spawn(["sleep", "600"], Path(sys.argv[1])).pid, flush=True)
time.sleep(600)
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_killed_starter_takes_its_processes_along(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(processes.__file__).parents[1])}
    command = [sys.executable, "-c", STARTER, str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as starter:
        assert starter.stdout is not None
        child = int(starter.stdout.readline())
        assert alive(child)
        starter.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(child)


def test_an_ended_process_is_no_longer_watched() -> None:
    assert reaper.watch(["+12\n", "+13\n", "-12\n"]) == {13}


def test_a_process_that_ignores_the_request_to_end_is_killed(tmp_path: Path) -> None:
    stubborn = processes.spawn(["sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done"], tmp_path / "log")
    deadline = time.monotonic() + 10
    while "up" not in processes.tail(tmp_path / "log") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes.end(stubborn, grace_seconds=0.3) == -signal.SIGKILL


def test_ports_are_distinct_and_outside_the_range_of_outgoing_connections() -> None:
    ports = [processes.free_port() for _ in range(50)]
    assert len(set(ports)) == 50
    assert all(20_000 <= port < 32_000 for port in ports)


@pytest.mark.parametrize("roles", [("broker", "controller"), ("broker",), ("controller",)])
@pytest.mark.parametrize("mode", ["kraft", "zookeeper"])
def test_every_listener_is_on_the_loopback_interface(roles: tuple[str, ...], mode: str) -> None:
    first = Node(1, ("broker", "controller"), "a", Path("one"), 20_001, 20_002, 20_003)
    node = Node(2, roles, "b", Path("two"), 20_004, 20_005, 20_006)
    zookeeper = Node(0, ("zookeeper",), None, Path("zk"), 20_007) if mode == "zookeeper" else None
    properties = broker_properties(node, [first, node], zookeeper)
    addresses = str(properties["listeners"]).split(",") + str(properties.get("advertised.listeners", "")).split(",")
    assert {address.split("://")[1].split(":")[0] for address in addresses if address} <= {"127.0.0.1"}
    agent = next(option for option in jvm(Path("jars"), node) if option.startswith("-javaagent:"))
    assert "host=127.0.0.1" in agent
    assert "discoveryEnabled=false" in agent
    if zookeeper:
        assert "clientPortAddress=127.0.0.1" in zookeeper_properties(zookeeper)
        assert "admin.enableServer=false" in zookeeper_properties(zookeeper)
