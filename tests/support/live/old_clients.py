"""Clients that speak old versions of the protocol: takes a broker's address, gives what it answered, byte for byte.

No library of today sends these versions, so each request is written out: a topicless Fetch or Produce is one that a
broker answers, and counts, all the same.
"""

import json
import socket
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fleet_demo.cluster import Cluster
from support.servers.byte_server import exactly

PRODUCE, FETCH, LIST_OFFSETS, API_VERSIONS = 0, 1, 2, 18


class Request(NamedTuple):
    """One request: its number in the protocol, its version, and its body."""

    api: int
    version: int
    body: bytes


NAMED, NEWER = ("old-app", "0.10.2"), ("newer-app", "1.0")
NONE = struct.pack(">i", 0)  # of topics
OLD = (
    Request(PRODUCE, 2, struct.pack(">hi", 1, 1000) + NONE),
    Request(FETCH, 3, struct.pack(">iiii", -1, 0, 0, 1024) + NONE),
    Request(LIST_OFFSETS, 0, struct.pack(">i", -1) + NONE),
)
STILL_ANSWERED = (Request(PRODUCE, 3, struct.pack(">hhi", -1, 1, 1000) + NONE),)


def _compact(text: str) -> bytes:
    return bytes([len(text) + 1]) + text.encode()


def _frame(one: Request, number: int, flexible: bool = False) -> bytes:
    client = b"old-app"
    head = struct.pack(">hhih", one.api, one.version, number, len(client)) + client + (b"\0" if flexible else b"")
    return struct.pack(">i", len(head) + len(one.body)) + head + one.body


def _ask(line: socket.socket, frame: bytes) -> bytes:
    """The answer behind its length. Raises ConnectionError when the broker closes the connection instead."""
    line.sendall(frame)
    (size,) = struct.unpack(">i", exactly(line, 4))
    return exactly(line, size)


def asked(line: socket.socket, one: Request) -> bytes:
    """What the broker answers on this connection. Raises ConnectionError when it closes it instead."""
    return _ask(line, _frame(one, 3))


def answered(port: int, requests: Sequence[Request], name: tuple[str, str] | None = None) -> list[bool]:
    """Whether each request is answered, on a connection of its own. name: software and version, by ApiVersions 3."""
    found = []
    for one in requests:
        with socket.create_connection(("127.0.0.1", port), 10) as line:
            if name is not None:
                body = _compact(name[0]) + _compact(name[1]) + b"\0"
                _ask(line, _frame(Request(API_VERSIONS, 3, body), 1, flexible=True))
            try:
                found.append(_ask(line, _frame(one, 2))[:4] == struct.pack(">i", 2))
            except ConnectionError:
                found.append(False)
    return found


def oldest_versions(port: int) -> dict[int, tuple[int, int]]:
    """First and last version of every request that the broker says it answers, by the request's number."""
    with socket.create_connection(("127.0.0.1", port), 10) as line:
        answer = _ask(line, _frame(Request(API_VERSIONS, 0, b""), 1))
    (count,) = struct.unpack_from(">i", answer, 6)  # behind correlation id and error
    rows = [struct.unpack_from(">hhh", answer, 10 + 6 * place) for place in range(count)]
    return {api: (low, high) for api, low, high in rows}


def told(cluster: Cluster, home: Path) -> None:
    """What broker 1 answers to old requests, and the versions that it says it answers, into a file of the home."""
    port = cluster.nodes[1].port
    found = {
        "old": answered(port, OLD, NAMED),
        "newer": answered(port, STILL_ANSWERED, NEWER),
        "versions": oldest_versions(port),
    }
    result(home, cluster.release).write_text(json.dumps(found))


def result(home: Path, release: str) -> Path:
    """The file that `told` writes."""
    return home / f"old-requests-{release}.json"
