"""In goes a node that was just started; out comes the moment it serves, or an error with the tail of its log."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from typing import Any

from fleet_demo.node import Node
from fleet_demo.processes import tail

RUNNING = 3  # the BrokerState of a broker that serves, with ZooKeeper and (once unfenced) with KRaft alike
SERVES = b"Kafka Server started"  # the last line of a start with KRaft
POLL_SECONDS = 0.25


class ClusterError(RuntimeError):
    """A cluster did not come up, or a part of it did not do what was asked; the text ends with the tail of a log."""


def await_ready(node: Node, where: str, seconds: float) -> None:
    """Return when a broker or controller serves, or ZooKeeper listens.

    Args:
        node: with its process running.
        where: words for the error, such as the cluster's name and release.
        seconds: how long to wait.

    Raises:
        ClusterError: the process ended, or did not serve in time.
    """
    deadline = time.monotonic() + seconds
    last: Exception | None = None
    while time.monotonic() < deadline:
        if node.process is None or node.process.poll() is not None:
            raise ClusterError(f"{node.label} of {where} ended while starting:\n{tail(node.log)}")
        try:
            _probe(node)
            return
        except (OSError, LookupError, ValueError) as error:  # not yet: refused, half an answer, no such bean
            last = error
            time.sleep(POLL_SECONDS)
    raise ClusterError(f"{node.label} of {where} did not serve within {seconds:.0f} s ({last}):\n{tail(node.log)}")


def read_jolokia(url: str, mbean: str, attribute: str | None = None, timeout_seconds: float = 5.0) -> dict[str, Any]:
    """POST one read request to a Jolokia agent and return its whole answer; OSError when it cannot be reached."""
    request = {"type": "read", "mbean": mbean} | ({"attribute": attribute} if attribute else {})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback is never behind a proxy
    # The agent answers 404 to its own context path without the slash at the end.
    with opener.open(url.rstrip("/") + "/", json.dumps(request).encode(), timeout_seconds) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def read_value(url: str, mbean: str, attribute: str | None = None) -> Any:
    """Return only the value of read_jolokia(); LookupError with the agent's words when there is none."""
    answer = read_jolokia(url, mbean, attribute)
    if "value" not in answer:
        raise LookupError(f"{url}: {answer.get('error', 'no value')}")
    return answer["value"]


def _probe(node: Node) -> None:
    if node.agent:  # it may want certificates and passwords
        if SERVES not in node.log.read_bytes()[node.started_at :]:
            raise LookupError("the broker has not said yet that it has started")
    elif "broker" in node.roles:
        if read_value(node.jolokia_url, "kafka.server:type=KafkaServer,name=BrokerState", "Value") != RUNNING:
            raise LookupError("the broker is still starting")
    elif "controller" in node.roles:
        read_value(node.jolokia_url, "kafka.controller:type=KafkaController,name=ActiveControllerCount", "Value")
        return
    socket.create_connection((node.host, node.port), 1.0).close()
