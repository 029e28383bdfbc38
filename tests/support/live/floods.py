"""A network thread without idle time, and a broker whose shutdown does not end, at 3.9.1: takes a home, lands sweeps.

"network391"   the only network thread of broker 2 is fed small requests faster than it takes them
"paced391"     a look-alike: as many clients, each of which rests between two requests
"stopping391"  broker 2 is told to stop while its handlers stand still: the gauges of Kafka are gone at once, and so is
               the port of Jolokia 2, but the JMX exporter, by which it is read, answers until the process ends

Broker 1 is the controller, so that broker 2 has one pool of handlers. Entries have thresholds of seconds, since sweeps
are seconds apart; min_stopping_s is the least that may be set.
"""

import os
import signal
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path
from threading import Event

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from kafka_fleet.schema.exporter_rules import rules_file
from support.live import jdwp
from support.live.metrics_endpoint import exporters
from support.live.saturation import CLIENTS, HANDLERS, LIMITS, QUEUE, on_lines, senders
from support.live.scenarios import avoid_midnight, await_that, spaced, sweep_of
from support.servers.byte_server import exactly

NETWORK, PACED, STOPPING = "network391", "paced391", "stopping391"
BUSY, LINES, AT_ONCE = 2, 100, 400
SWEEPS, EVERY_S, STOPPING_S, STOPPED_SWEEPS = 4, 2.0, 60, 3
API_VERSIONS = struct.pack(">ihhih", 16, 18, 0, 1, 6) + b"floods"
FENCED = "kafka.controller:type=KafkaController,name=FencedBrokerCount"
STOPS = "to SHUTTING_DOWN"  # in its log
THRESHOLDS = {
    "handler_saturation": {
        "min_busy_s": 4, "min_stuck_s": 4, "warm_up_s": 0, "min_stopping_s": STOPPING_S, "max_network_idle": 0.05,
    },
    "availability": {"min_steady_s": 4},
}  # fmt: skip


def _sweep(cluster: Cluster, home: Path, name: str, **agents: object) -> None:
    sweep_of(cluster, home, limits=LIMITS, id=name, thresholds=THRESHOLDS, **agents)


def _ask(line: socket.socket, over: Event) -> None:
    """Ask for versions again and again, so that requests wait in the socket while others are answered."""
    with suppress(OSError), line:  # the connection is closed under it at the end
        line.sendall(API_VERSIONS * AT_ONCE)
        (size,) = struct.unpack(">i", line.recv(4, socket.MSG_PEEK | socket.MSG_WAITALL))
        while not over.is_set():
            line.sendall(API_VERSIONS * AT_ONCE)
            exactly(line, AT_ONCE * (4 + size))


def _stop(cluster: Cluster, home: Path, port: int, urls: dict[int, str]) -> None:
    """Its handlers stand still, it is told to stop, and its process is there for longer than a minute."""
    read = {"jolokia": None, "metrics": {"brokers": urls}}
    _sweep(cluster, home, STOPPING, **read)
    with senders(cluster, BUSY, "orders", 1000, 2 * QUEUE, 0.1), jdwp.Debugger(port) as debugger:
        if not debugger.suspend(HANDLERS):
            raise ClusterError(f"no handlers: {sorted(debugger.threads().values())}")
        os.kill(cluster.pids[BUSY], signal.SIGTERM)
        log = cluster.log_paths[BUSY]
        await_that("it stops", lambda: STOPS in log.read_text(errors="replace"), 30)
        await_that("the controller has given it up", lambda: cluster.jolokia(1, FENCED, "Value") == 1, 60)
        spaced(STOPPED_SWEEPS, STOPPING_S / (STOPPED_SWEEPS - 1) + 1, lambda: _sweep(cluster, home, STOPPING, **read))
        cluster.kill_broker(BUSY)


def run(home: Path) -> None:
    """Clients with pauses, clients without, and a shutdown; two minutes. Raises ClusterError where a step fails."""
    avoid_midnight(240)
    port = free_port()
    own = {BUSY: {"num.network.threads": 1, "num.io.threads": 8, "queued.max.requests": QUEUE}}
    options, urls = exporters(home / "exporters" / STOPPING, rules_file())
    options[BUSY] = [*options[BUSY], *jdwp.options(port)]
    with Cluster(NETWORK, "3.9.1", racks=(), broker_configs=own, node_options=options) as cluster:
        create_topic(cluster, "orders", replica_assignment={0: [BUSY]})
        with senders(cluster, BUSY, "orders", 1000, CLIENTS, 0.1):
            spaced(SWEEPS, EVERY_S, lambda: _sweep(cluster, home, PACED))
        with on_lines(cluster.nodes[BUSY].port, LINES, _ask):
            time.sleep(1)
            spaced(SWEEPS, EVERY_S, lambda: _sweep(cluster, home, NETWORK))
        _stop(cluster, home, port, urls)
