"""The deadlock of KAFKA-14225 on real brokers, at 3.3.1 and 3.3.2 alike: takes a home, lands sweeps after it.

"quotas331"  a handler that makes the sensor of exempt requests and the thread that changes quotas wait for each other
"quotas332"  the same steps, and both go on: the sensor is there from the start
"held331"    a look-alike: the handlers of the same release stand still as well, held by a debugger, in no cycle

The race is widened by a debugger; the brokers' code is as published. (1) The first quota of requests is set, and the
thread that takes it is held: it has the lock of quotas for writing, and quotas are on from there. (2) A request that is
exempt from quotas comes, one of a producer that wants no answer, and its handler is the first to want the sensor: it
takes the monitor of the quota manager, and is held as well, before it wants that lock for reading. (3) Both go on; the
first one wants the monitor, for its first line in the log. The debugger is gone by then.
"""

import socket
import struct
import time
from contextlib import ExitStack
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from kafka_fleet.collect.sweep import SweepResult
from support.live import jdwp
from support.live.saturation import HANDLERS, LIMITS, QUEUE, THRESHOLDS, produce_frame, senders
from support.live.scenarios import side_by_side, spaced, sweep_of
from support.servers.byte_server import exactly

QUOTAS, FIXED, HELD = "quotas331", "quotas332", "held331"
RELEASES = {QUOTAS: "3.3.1", FIXED: "3.3.2", HELD: "3.3.1"}
TOPIC, CLIENT = "orders", "fleet-demo"  # the client id of produce_frame
SWEEPS, EVERY_S = 4, 2.0
TAKEN = ("kafka.server.ClientQuotaManager$DefaultQuotaCallback", "updateQuota")
HANDLER_THREADS = 4
MADE = ("kafka.server.ClientQuotaManager", "getOrCreateSensor")
COME_S = 20.0  # from the change of a quota, or from a request, to the thread that takes it


def _text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def quota_frame(client: str, percent: float) -> bytes:
    """AlterClientQuotas of version 0 that sets request_percentage of a client id, as it goes over the wire."""
    entity = struct.pack(">i", 1) + _text("client-id") + _text(client)
    change = struct.pack(">i", 1) + _text("request_percentage") + struct.pack(">d?", percent, False)
    body = struct.pack(">i", 1) + entity + change + b"\0"
    head = struct.pack(">hhi", 49, 0, 1) + _text("admin")
    return struct.pack(">i", len(head) + len(body)) + head + body


def change_quota(cluster: Cluster, percent: float) -> None:
    """Set the quota by one connection, and wait for the answer. Raises OSError where none comes in ten seconds."""
    with socket.create_connection(("127.0.0.1", cluster.nodes[1].port), 10) as line:
        line.sendall(quota_frame(CLIENT, percent))
        (size,) = struct.unpack(">i", exactly(line, 4))
        exactly(line, size)


def _race(cluster: Cluster, port: int, makes_it: bool) -> None:
    """The steps above; makes_it: a handler does. Raises ClusterError where one does not come about."""
    with jdwp.Debugger(port) as debugger:
        debugger.hold_at(*TAKEN)
        change_quota(cluster, 900)
        taking = debugger.held(COME_S)
        if taking is None:
            raise ClusterError("nothing takes the quota")
        debugger.hold_at(*MADE)
        with socket.create_connection(("127.0.0.1", cluster.nodes[1].port), 10) as line:
            line.sendall(produce_frame(TOPIC, 1000, acks=0))
            making = debugger.held(COME_S)
            if makes_it and making is None:
                raise ClusterError("no handler makes the sensor")
        for thread in (making, taking):
            if thread is not None:  # with the fix no handler makes the sensor
                debugger.resume(thread)


def _sweep(cluster: Cluster, home: Path) -> SweepResult:
    return sweep_of(cluster, home, limits=LIMITS, id=cluster.name, environment="production", thresholds=THRESHOLDS)


def _one(home: Path, name: str) -> None:
    port = free_port()
    config = {"num.io.threads": HANDLER_THREADS, "queued.max.requests": QUEUE}
    with (
        Cluster(
            name, RELEASES[name], 1, racks=(), controllers="dedicated",
            broker_config=config, node_options={1: jdwp.options(port)},
        ) as cluster,
        ExitStack() as stack,
    ):  # fmt: skip
        create_topic(cluster, TOPIC, replica_assignment={0: [1]})
        # more clients than the queue holds, so that it fills up where nobody takes from it
        stack.enter_context(senders(cluster, 1, TOPIC, 1000, 2 * QUEUE, 0.1))
        if name == HELD:
            debugger = stack.enter_context(jdwp.Debugger(port))
            if debugger.suspend(HANDLERS) != HANDLER_THREADS:
                raise ClusterError(f"not the handlers that there are: {sorted(debugger.threads().values())}")
        else:
            _race(cluster, port, makes_it=name != FIXED)
        time.sleep(1)
        spaced(SWEEPS, EVERY_S, lambda: _sweep(cluster, home))
        if name != FIXED:
            cluster.kill_broker(1)  # with handlers that stand still no shutdown ends


def run(home: Path) -> None:
    """The clusters side by side; a minute. Raises ClusterError where a step does not come about."""
    side_by_side(home, RELEASES, _one)
