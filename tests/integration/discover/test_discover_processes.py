"""`kafka-fleet discover` as a person runs it: piped, by several processes at once, into a file that is then used."""

import subprocess
import sys

import pytest

from kafka_fleet.config.fleet import load_fleet
from support.servers.jolokia_simulator import Agent, agent

PROGRAM = [sys.executable, "-m", "kafka_fleet.cli"]
DEFAULTS = ["--owner", "platform@example.org", "--environment", "staging"]


def run(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *words], input=given, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.sampled("discovered-and-measured")
def test_a_cluster_that_was_found_is_measured(tmp_path):
    with agent(Agent()) as one:
        compose = f"""
services:
  kafka:
    image: apache/kafka:4.1.0
    ports: ["9:9092", "{one.url.rsplit(":", 1)[1].split("/")[0]}:8778"]
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://127.0.0.1:9
      KAFKA_OPTS: -javaagent:/jolokia.jar=port=8778
"""
        words = ["discover", "compose", "--fleet", str(tmp_path / "fleet.yaml"), "--write", *DEFAULTS]
        assert run(*words, given=compose).returncode == 0
        (cluster,) = load_fleet(tmp_path / "fleet.yaml").clusters
        assert cluster.jolokia is not None
        assert cluster.jolokia.brokers == {1: one.url}
        ended = run("collect", "--fleet", str(tmp_path / "fleet.yaml"), "--home", str(tmp_path))
        (row,) = [line for line in ended.stdout.splitlines() if line.split()[:2] == ["kafka", "1"]]
        assert "ok" in row.split(), ended.stdout + ended.stderr
        assert len(one.seen) > 0


@pytest.mark.sampled("discover-at-once")
def test_processes_that_write_at_once_lose_nothing_and_write_nothing_twice(tmp_path):
    fleet = str(tmp_path / "fleet.yaml")
    lists = [f"c{number} b{number}:9092\nshared s:9092\n" for number in range(4)]
    started = []
    for text in lists:
        one = subprocess.Popen(
            [*PROGRAM, "discover", "hosts", "--fleet", fleet, "--write", *DEFAULTS],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert one.stdin is not None
        one.stdin.write(text)
        one.stdin.close()
        started.append(one)
    assert [one.wait(timeout=120) for one in started] == [0] * 4
    for one in started:
        assert one.stdout is not None
        one.stdout.close()
    found = load_fleet(fleet)
    assert found.errors == []
    assert sorted(one.id for one in found.clusters) == ["c0", "c1", "c2", "c3", "shared"]
    assert list(tmp_path.iterdir()) == [tmp_path / "fleet.yaml"]
