"""A whole cluster's Jolokia agents in a process of their own: takes sizes, serves answers that were rendered before.

    python tests/support/servers/simulated_brokers.py --brokers 8 --topics 1000 --partitions 200 --replication 3

prints its port, and serves until its standard input ends. Broker b answers at /<fault>/<b>/jolokia/ like a real agent:
the entries of both bulk reads, names in the agent's spelling, each pattern in an order of its own. <fault> is `ok`,
`busy` (HTTP 503), `error` (HTTP 500), `cut` (the connection ends in mid-answer), `slow` (the answers take SLOW_S
longer), `drip` (they come in pieces over SLOW_S), `hang` (nothing comes until the reader gives up) or `garbage` (no
JSON). So whoever writes the URLs into a fleet file chooses which brokers fail, and how.

A line `{"tick": n, "at": s}` on standard input renders the answers anew: every log end n * GROWTH further, the agent's
clock at s seconds since the epoch; a line on standard output says when that is done.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

SLOW_S = 1.5
GROWTH = 600  # records of a partition from one tick to the next
START_MS = 1_767_225_600_000  # of every broker's process: 2026-01-01, before any day that is simulated
STATUS = {"busy": 503, "error": 500}
GARBAGE = b"\x00\xff<html>not an agent</html>"
Replica = tuple[str, int, bool]


def replicas(broker: int, brokers: int, topics: int, partitions: int, replication: int) -> Iterator[Replica]:
    """Topic, partition and whether it leads, of each replica on a broker; brokers are numbered from 1."""
    for topic in range(topics):
        for partition in range(partitions):
            place = (broker - 1 - topic - partition) % brokers
            if place < replication:
                yield f"orders-{topic:04d}", partition, place == 0


def _canonical(mbean: str, **values: object) -> str:
    """The name as the agent spells it: properties in the order of the alphabet, wildcards replaced."""
    domain, _colon, rest = mbean.partition(":")
    pairs = dict(pair.split("=") for pair in rest.removesuffix(",*").split(","))
    pairs |= {name: str(value) for name, value in values.items() if name in pairs or mbean.endswith(",*")}
    return f"{domain}:" + ",".join(f"{name}={pairs[name].replace('*', 'sample')}" for name in sorted(pairs))


def _partition_values(bean: Bean, held: list[Replica], tick: int) -> dict[str, Any]:
    column = bean.columns[0].name
    spread = random.Random(bean.mbean)  # noqa: S311 - a seed, so that every run serves equal bytes
    held = list(held)
    spread.shuffle(held)
    found = {}
    for topic, partition, leads in held:
        if column == "lag" and leads:
            continue
        value = spread.randrange(10**4, 10**9)
        if column in ("isr_count", "replicas_count"):
            value = 3 if leads else 0
        elif column == "log_end_offset":
            value += tick * GROWTH
        found[_canonical(bean.mbean, topic=topic, partition=partition, clientId="ReplicaFetcherThread-0-1")] = value
    return {name: {bean.columns[0].attribute: value} for name, value in found.items()}


def _broker_value(bean: Bean, held: list[Replica]) -> Any:
    if bean.operation is not None:
        return None
    known = {"release": "3.9.1", "commit_id": "f745dfdcee2b9851", "partition_count": len(held), "offline_replicas": 0}
    known |= dict.fromkeys(("jvm_start_ms", "app_start_ms"), START_MS)
    values = {
        c.attribute: known.get(c.name, {"string": "text", "double": 1.5}.get(c.type, 1_000_007)) for c in bean.columns
    }
    if "*" not in bean.mbean:
        return values
    keys = mbeans.tables()[bean.table].keys
    if set(keys) == {"topic"}:
        topics = sorted({topic for topic, _partition, _leads in held})
        return {_canonical(bean.mbean, topic=topic): values for topic in topics}
    pairs = (pair.split("=") for pair in bean.mbean.partition(":")[2].removesuffix(",*").split(","))
    literal = {name for name, value in pairs if value != "*"}  # of COORDINATOR_* the agent gives what begins so
    given = {name: "0" if kind == "int" else "sample" for name, (_c, kind) in keys.items() if name not in literal}
    return {_canonical(bean.mbean, **given): values}


def render(request: str, held: list[Replica], tick: int = 0, at: float | None = None) -> bytes:
    """One bulk answer of a broker that holds these replicas, at a tick and by a clock; by this machine's without."""
    answers = []
    clock = int(time.time() if at is None else at)
    for bean in mbeans.beans(request):
        per_partition = "partition" in mbeans.tables()[bean.table].keys
        value = _partition_values(bean, held, tick) if per_partition else _broker_value(bean, held)
        answers.append({"value": value, "timestamp": clock, "status": 200})
    return json.dumps(answers, separators=(",", ":")).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    answers: dict[tuple[int, str], bytes]

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        fault, broker = self.path.split("/")[1:3]
        request = mbeans.PARTITIONS if b"name=LogEndOffset" in asked else mbeans.BROKER
        body = self.answers[int(broker), request]
        try:
            self._answer(fault, body)
        except OSError:
            self.close_connection = True

    def _answer(self, fault: str, body: bytes) -> None:
        if fault == "slow":
            time.sleep(SLOW_S / 2)  # of each of the two bulk reads
        if fault == "hang":
            self.rfile.read(1)  # returns when the reader closes the connection
            self.close_connection = True
            return
        body = b"" if fault in STATUS else GARBAGE if fault == "garbage" else body
        self.send_response(STATUS.get(fault, 200))
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if fault == "cut":
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif fault == "drip":
            for place in range(10):
                self.wfile.write(body[len(body) * place // 10 : len(body) * (place + 1) // 10])
                time.sleep(SLOW_S / 20)
        else:
            self.wfile.write(body)

    def log_message(self, *_args: Any) -> None: ...


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def main() -> None:
    """Render, say the port, serve until standard input ends."""
    parser = argparse.ArgumentParser()
    for name in ("brokers", "topics", "partitions", "replication"):
        parser.add_argument(f"--{name}", type=int, required=True)
    options = parser.parse_args()
    held = {
        broker: list(replicas(broker, options.brokers, options.topics, options.partitions, options.replication))
        for broker in range(1, options.brokers + 1)
    }
    reads = [(broker, request) for broker in held for request in (mbeans.PARTITIONS, mbeans.BROKER)]
    answers = {(broker, request): render(request, held[broker]) for broker, request in reads}
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"answers": answers}))
    Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1], "bytes": sum(map(len, answers.values()))}), flush=True)
    for line in sys.stdin:
        now = json.loads(line)
        answers.update({(b, request): render(request, held[b], now["tick"], now["at"]) for b, request in reads})
        print(json.dumps(now), flush=True)
    server.shutdown()


if __name__ == "__main__":
    main()
