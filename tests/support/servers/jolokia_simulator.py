"""A Jolokia agent on a loopback socket: answers the collector's bulk reads like a broker, with the faults a test sets.

`Agent.entry` changes one answer of a bulk, `Agent.body` the whole body, `Agent.wire` takes the socket itself.
"""

import json
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from kafka_fleet.schema import mbeans

Json = dict[str, Any]


START_MS = int(time.time() * 1000) - 3_600_000  # when the process began


def _number(column: mbeans.Column, replicas: int) -> Any:
    known = {"release": "3.3.1", "commit_id": "e23c59d00e687ff5", "partition_count": replicas, "replicas_count": 3}
    known |= dict.fromkeys(("jvm_start_ms", "app_start_ms"), START_MS)
    return known.get(column.name, {"string": "text", "double": 1.5, "offline_replicas": 0}.get(column.type, 7))


class Agent:
    """One broker with `topics` (name -> partitions). Counts requests and keeps their headers and bodies."""

    def __init__(self, topics: dict[str, int] | None = None) -> None:
        self.topics = topics if topics is not None else {"orders": 4, "payments": 2}
        self.threads: list[Json] = []  # of a deadlock, as the JVM tells of them
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.entry: Callable[[str, Json], Json] = lambda mbean, answer: answer
        self.body: Callable[[list[Json]], Any] = lambda answers: answers
        self.wire: Callable[[BaseHTTPRequestHandler], None] | None = None
        self.url = ""

    @property
    def replicas(self) -> int:
        return sum(self.topics.values())

    def answer(self, request: Json) -> Json:
        """What a broker's agent says to one read, or call."""
        asked = request["mbean"]
        if request["type"] == "exec":
            ids = request.get("arguments", [[]])[0]
            every = [one["threadId"] for one in self.threads]
            told = [one for one in self.threads if one["threadId"] in ids] if ids else every
            return self.entry(asked, {"value": told or None, "timestamp": int(time.time()), "status": 200})
        every = [one for t in mbeans.tables().values() for one in t.beans]
        bean = next((one for one in every if mbeans.requested_name(one) == asked), None)
        if bean is None:  # one MBean of a pattern, by its name
            found = mbeans.properties(asked)
            bean = next(
                one
                for one in every
                if mbeans.matches_pattern(one, asked, found) and not mbeans.has_more_properties(one, found)
            )
            return self.entry(asked, self.healthy(bean._replace(mbean=asked)))
        return self.entry(bean.mbean, self.healthy(bean))

    def healthy(self, bean: mbeans.Bean) -> Json:
        """What it says when nothing is wrong."""
        if bean.operation is not None:  # no thread is in a deadlock
            return {"value": None, "timestamp": int(time.time()), "status": 200}
        values = {c.attribute: 0 if c.name == "offline_replicas" else _number(c, self.replicas) for c in bean.columns}
        value: Any = values if "*" not in bean.mbean else {name: dict(values) for name in self._names(bean)}
        return {"value": value, "timestamp": int(time.time()), "status": 200}

    def _names(self, bean: mbeans.Bean) -> Iterator[str]:
        if bean.request == mbeans.PARTITIONS:
            for topic, count in self.topics.items():
                for partition in range(count):
                    yield bean.mbean.replace("topic=*", f"topic={topic}").replace(
                        "partition=*", f"partition={partition}"
                    )
            return
        name = bean.mbean
        for prop, (_column, kind) in mbeans.tables()[bean.table].keys.items():
            if f"{prop}=" not in name:
                name = name.removesuffix(",*") + f",{prop}=*"
            name = name.replace(f"{prop}=*", f"{prop}={'0' if kind == 'int' else 'sample'}")
        yield name.replace("*", "sample")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    agent: Agent

    def _serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        requests = json.loads(content) if content else None
        self.agent.seen.append((self.path, dict(self.headers), requests))
        try:
            if self.agent.wire is not None:
                self.close_connection = True
                self.agent.wire(self)
                return
            self.serve_answers(requests)
        except OSError:
            self.close_connection = True  # the collector hung up: that is what most tests want

    def serve_answers(self, requests: Any) -> None:
        """What a healthy agent says to a bulk, or what `body` makes of it."""
        spelled = json.dumps(self.agent.body([self.agent.answer(one) for one in requests]), separators=(",", ":"))
        answer(self, spelled.encode())

    do_POST = do_GET = _serve

    def log_message(self, *_args: Any) -> None: ...


def answer(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    """A whole answer. Header names are given with underscores."""
    handler.send_response(status)
    for name, value in {"Content_Length": str(len(body)), "Content_Type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def never_answers(handler: BaseHTTPRequestHandler) -> None:
    """No answer at all, until the collector closes its side."""
    handler.connection.recv(1)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_args: Any) -> None: ...


@contextmanager
def agent(one: Agent, certificate: Path | None = None) -> Iterator[Agent]:
    """Serve on 127.0.0.1, over TLS when a PEM file with key and certificate is given; sets `url`."""
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"agent": one}))
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    one.url = f"http{'s' if certificate else ''}://127.0.0.1:{server.server_address[1]}/jolokia"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield one
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def self_signed(folder: Path, name: str = "127.0.0.1") -> Path:
    """A PEM file with a fresh key and a certificate for that address, signed by itself."""
    made = folder / "agent.pem"
    wanted = ["-subj", "/CN=agent", "-addext", f"subjectAltName=IP:{name}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *wanted, *files]
    subprocess.run(command, check=True, capture_output=True)
    made.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return made
