"""Request handlers without idle time, and handlers that stand still, at 2.1.0 and 3.9.1: takes a home, lands sweeps.

"busy210"      both brokers answer producers, and have idle time
"overload210"  the only handler of broker 1 compresses records anew for more clients than it can serve
"deadlock210"  the same handler stands still, as those of KAFKA-7697 do: a debugger holds it
"combined391"  the broker's handlers stand still on a node that is controller as well, and the controller's do not
"alone391"     a look-alike: the same node without any client
"stalled420", "rested420"  both at 4.2.0, where each pool has a meter of its own

Broker 2 has the same clients all the time, and is well. Entries have thresholds of seconds, since sweeps are seconds
apart; the shares of idle time are as shipped.
"""

import random
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from kafka.record.default_records import DefaultRecordBatchBuilder

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.sweep import SweepResult
from support.live import jdwp
from support.live.scenarios import avoid_midnight, spaced, sweep_of
from support.servers.byte_server import exactly

BUSY, OVERLOAD, DEADLOCK = "busy210", "overload210", "deadlock210"
COMBINED, ALONE, STALLED, RESTED = "combined391", "alone391", "stalled420", "rested420"
FULL, WELL = 1, 2  # the broker that is harmed, the one that is not
CLIENTS, QUEUE = 6, 8
CROWD = QUEUE  # more than a handler serves, and not so many that network threads wait for the queue
SWEEPS, STUCK_SWEEPS, EVERY_S = 4, 2, 2.0
HANDLERS_OF_EACH = 2  # of the controller and of the broker in one node
THRESHOLDS = {"handler_saturation": {"min_busy_s": 4, "min_stuck_s": 4, "warm_up_s": 0}}
HANDLERS = r"^(data-plane-)?kafka-request-handler-\d+$"
LIMITS = Limits(deadline_s=12.0)  # a broker that answers nobody takes all of it


def sweep(cluster: Cluster, home: Path, name: str) -> SweepResult:
    """One sweep under an id, with thresholds for sweeps that are seconds apart."""
    return sweep_of(cluster, home, limits=LIMITS, id=name, thresholds=THRESHOLDS)


def _sweeps(cluster: Cluster, home: Path, name: str, many: int = SWEEPS) -> None:
    spaced(many, EVERY_S, lambda: sweep(cluster, home, name))


def produce_frame(topic: str, size: int, acks: int = 1) -> bytes:
    """A Produce request of version 3 with one record of letters, as it goes over the wire."""
    builder = DefaultRecordBatchBuilder(2, 0, False, -1, -1, -1, 2 * size)
    builder.append(0, int(time.time() * 1000), None, random.Random(7).randbytes(size // 2).hex().encode(), [])  # noqa: S311
    records = bytes(builder.build())
    body = struct.pack(">hhii", -1, acks, 30_000, 1) + struct.pack(">h", len(topic)) + topic.encode()
    body += struct.pack(">iii", 1, 0, len(records)) + records
    head = struct.pack(">hhih", 0, 3, 1, 10) + b"fleet-demo"
    return struct.pack(">i", len(head) + len(body)) + head + body


def _send(line: socket.socket, frame: bytes, pause_s: float, over: Event) -> None:
    """Send the same request again and again, each after the answer to the last one, until it is over."""
    with suppress(OSError), line:  # the connection is closed under a request that nobody answers
        while not over.is_set():
            line.sendall(frame)
            (size,) = struct.unpack(">i", exactly(line, 4))
            exactly(line, size)
            over.wait(pause_s)


@contextmanager
def on_lines(port: int, many: int, work: Callable[[socket.socket, Event], None]) -> Iterator[None]:
    """Connections to a broker for the length of the block, with a thread of `work` on each, which is told the end.

    Raises OSError where one cannot connect.
    """
    over = Event()
    with ExitStack() as stack:
        lines = [stack.enter_context(socket.create_connection(("127.0.0.1", port), 60)) for _ in range(many)]
        threads = [Thread(target=work, args=(line, over), daemon=True) for line in lines]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for line in lines:
                with suppress(OSError):  # it has ended by itself
                    line.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(30)


@contextmanager
def senders(cluster: Cluster, broker: int, topic: str, size: int, many: int, pause_s: float) -> Iterator[None]:
    """Clients of a broker for the length of the block. Raises OSError where one cannot connect."""
    frame = produce_frame(topic, size)
    with on_lines(cluster.nodes[broker].port, many, lambda line, over: _send(line, frame, pause_s, over)):
        yield


def _combined(home: Path, release: str, stuck: str, alone: str) -> None:
    """Let the handlers of a broker stand still whose node is the active controller."""
    port = free_port()
    own = {FULL: {"num.io.threads": HANDLERS_OF_EACH, "queued.max.requests": QUEUE}}
    with Cluster(stuck, release, racks=(), broker_configs=own, node_options={FULL: jdwp.options(port)}) as cluster:
        create_topic(cluster, "orders", replica_assignment={0: [FULL]})
        create_topic(cluster, "refunds", replica_assignment={0: [WELL]})
        with senders(cluster, WELL, "refunds", 1000, CLIENTS, 0.1):
            _sweeps(cluster, home, alone)
            with senders(cluster, FULL, "orders", 1000, 2 * QUEUE, 0.1), jdwp.Debugger(port) as debugger:
                time.sleep(0.5)
                # both pools have threads of the same names; the controller starts before the broker
                if debugger.suspend(HANDLERS, HANDLERS_OF_EACH) != HANDLERS_OF_EACH:
                    raise ClusterError(f"not the handlers of both pools: {sorted(debugger.threads().values())}")
                _sweeps(cluster, home, stuck)
                cluster.kill_broker(FULL)


def combined(home: Path) -> None:
    """Before and after pools have meters of their own, one after the other. Raises ClusterError without any handler."""
    avoid_midnight(240)
    _combined(home, "3.9.1", COMBINED, ALONE)
    _combined(home, "4.2.0", STALLED, RESTED)


def run(home: Path) -> None:
    """Start the cluster, overload a broker, let its handlers stand still, end it. Raises ClusterError without any."""
    avoid_midnight(240)
    port = free_port()
    own = {FULL: {"num.io.threads": 1, "queued.max.requests": QUEUE}}
    with Cluster(
        BUSY, "2.1.0", racks=(), mode="zookeeper", broker_configs=own, node_options={FULL: jdwp.options(port)}
    ) as cluster:
        create_topic(cluster, "packed", replica_assignment={0: [FULL]}, config={"compression.type": "gzip"})
        create_topic(cluster, "orders", replica_assignment={0: [WELL]})
        with senders(cluster, WELL, "orders", 1000, CLIENTS, 0.1):
            with senders(cluster, FULL, "packed", 1000, 2, 0.1):
                _sweeps(cluster, home, BUSY)
            with senders(cluster, FULL, "packed", 200_000, CROWD, 0.0):
                time.sleep(1)
                _sweeps(cluster, home, OVERLOAD, SWEEPS + 2)  # a busy machine gives the handler some idle time
            with senders(cluster, FULL, "packed", 1000, 2 * QUEUE, 0.1), jdwp.Debugger(port) as debugger:
                time.sleep(0.5)
                if debugger.suspend(HANDLERS) != 1:
                    raise ClusterError(f"not the one handler that there is: {sorted(debugger.threads().values())}")
                _sweeps(cluster, home, DEADLOCK, STUCK_SWEEPS)
                cluster.kill_broker(FULL)  # with handlers that stand still no shutdown ends
