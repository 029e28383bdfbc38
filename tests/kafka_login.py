"""A Kafka listener as far as its login: takes what is sent by SASL's PLAIN, refuses it, and quotes it in its refusal.

Inputs are connections of clients; what comes out is each (user, password) that arrived.
"""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import NamedTuple

API_VERSIONS, HANDSHAKE, AUTHENTICATE = 18, 17, 36
UNSUPPORTED_VERSION, REFUSED = 35, 58
OFFERED = ((API_VERSIONS, 0, 0), (HANDSHAKE, 1, 1), (AUTHENTICATE, 0, 0))


class Listener(NamedTuple):
    """Where it answers, and the logins that came."""

    address: str
    logins: list[tuple[str, str]]


def _text(content: bytes) -> bytes:
    return struct.pack(">h", len(content)) + content


def _exact(made: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        part = made.recv(size - len(found))
        if not part:
            raise ConnectionError("the client has gone")
        found += part
    return found


def _serve(made: socket.socket, logins: list[tuple[str, str]]) -> None:
    """Answer requests until the client goes. Every body is of a version without tags."""
    while True:
        request = _exact(made, struct.unpack(">i", _exact(made, 4))[0])
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


def _quietly(made: socket.socket, logins: list[tuple[str, str]]) -> None:
    with made:
        try:
            _serve(made, logins)
        except OSError:
            return  # the client has gone, or was sent away


@contextmanager
def kafka_login() -> Iterator[Listener]:
    """Serve on 127.0.0.1 for the length of the block."""
    logins: list[tuple[str, str]] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    made, _peer = server.accept()
                except OSError:
                    return
                Thread(target=_quietly, args=(made, logins), daemon=True).start()

        Thread(target=accept, daemon=True).start()
        yield Listener(f"127.0.0.1:{server.getsockname()[1]}", logins)
        server.shutdown(socket.SHUT_RDWR)
