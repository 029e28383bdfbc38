"""A Kafka listener as far as its login: takes what is sent by SASL's PLAIN, refuses it, and quotes it in its refusal.

Inputs are connections of clients; what comes out is each (user, password) that arrived.
"""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from support.servers.byte_server import exactly, listener

API_VERSIONS, HANDSHAKE, AUTHENTICATE = 18, 17, 36
UNSUPPORTED_VERSION, REFUSED = 35, 58
OFFERED = ((API_VERSIONS, 0, 0), (HANDSHAKE, 1, 1), (AUTHENTICATE, 0, 0))


class Listener(NamedTuple):
    """Where it answers, and the logins that came."""

    address: str
    logins: list[tuple[str, str]]


def _text(content: bytes) -> bytes:
    return struct.pack(">h", len(content)) + content


def _serve(made: socket.socket, logins: list[tuple[str, str]]) -> None:
    """Answer requests until the client goes. Every body is of a version without tags."""
    while True:
        request = exactly(made, struct.unpack(">i", exactly(made, 4))[0])
        api, version, correlation, client = struct.unpack(">hhih", request[:10])
        body = request[10 + max(client, 0) :]
        if api == API_VERSIONS:
            offered = b"".join(struct.pack(">hhh", *one) for one in OFFERED)
            answer = struct.pack(">hi", UNSUPPORTED_VERSION if version else 0, len(OFFERED)) + offered
        elif api == HANDSHAKE:
            answer = struct.pack(">hi", 0, 1) + _text(b"PLAIN")
        elif api == AUTHENTICATE:
            _who, user, password = body[4:].split(b"\0")
            logins.append((user.decode(), password.decode()))
            answer = struct.pack(">h", REFUSED) + _text(b"no login for " + user + b" with " + password)
            answer += struct.pack(">i", 0)
        else:
            raise ConnectionError("it has not logged in")
        made.sendall(struct.pack(">ii", 4 + len(answer), correlation) + answer)


@contextmanager
def kafka_login() -> Iterator[Listener]:
    """Serve on 127.0.0.1 for the length of the block."""
    logins: list[tuple[str, str]] = []
    with listener(lambda made: _serve(made, logins)) as address:
        yield Listener(address, logins)
