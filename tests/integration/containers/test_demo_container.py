"""The program of the image's target `kafka` without a container: started by the compose file's command on loopback."""

import signal
import socket
import subprocess
import sys
import time

import pytest

from fleet_demo.container import agents
from fleet_demo.processes import LOOPBACK, end, free_port, spawn, tail
from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import load_fleet
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.compose import compose_file

NAME = "kafka-buggy"


def six_ports() -> int:
    """The first of six in a row that nothing listens on now."""
    while True:
        first = free_port()
        if all(_free(first + more) for more in range(1, 6)):
            return first


def _free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, port)) != 0


@pytest.mark.sampled
def test_the_buggy_cluster_serves_is_under_load_is_measured_and_ends_when_told(tmp_path):
    given = dict.fromkeys(compose_file.variables(), "given")
    service = compose_file.load(given)["services"][NAME]
    first, log = six_ports(), tmp_path / "container.log"
    here = ["--host", LOOPBACK, "--first-port", str(first)]
    process = spawn([sys.executable, *service["command"][1:], *here], log)
    try:
        begin = time.monotonic()
        while b"under load" not in log.read_bytes():
            assert process.poll() is None, tail(log)
            assert time.monotonic() - begin < 300, tail(log)
            time.sleep(0.5)
        check = [sys.executable, *service["healthcheck"]["test"][2:], *here]
        assert subprocess.run(check, check=False, timeout=60).returncode == 0
        (cluster,) = [
            one for one in load_fleet(compose_file.ROOT / "demo/compose-fleet.yaml").clusters if one.id == NAME
        ]
        urls = agents(LOOPBACK, first)
        servers = [f"{LOOPBACK}:{first + 3 * number}" for number in range(len(urls))]
        moved = cluster.model_copy(
            update={"bootstrap_servers": servers, "jolokia": cluster.jolokia.model_copy(update={"brokers": urls})}
        )
        results = [sweep_cluster(moved, tmp_path / "home", local_credentials())]
        time.sleep(3)
        results.append(sweep_cluster(moved, tmp_path / "home", local_credentials()))
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(120)
        end(process)
    assert code == 128 + signal.SIGTERM
    assert subprocess.run(check, check=False, timeout=60).returncode == 1, "and nothing serves any more"
    assert [(one.admin.outcome, one.outcomes["ok"]) for one in results] == [("ok", 2)] * 2
    (day,) = {one.manifest.sweep_at.date().isoformat() for one in results}
    landed = manifests(tmp_path / "home", day)[0]
    metrics = read_rows(tmp_path / "home", landed, "broker_metrics")
    assert {row["release"] for row in metrics} == {"3.3.1"}
    written = [row["messages_in"] for row in metrics if row["broker"] == 1]
    assert written[1] > written[0], "the producer writes"
    assert "billing" in {row["group_id"] for row in read_rows(tmp_path / "home", landed, "groups")}
