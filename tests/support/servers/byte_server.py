"""A TCP server of a test's own: takes what serves a connection, gives the address; and exact reads of a socket."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread


@contextmanager
def listener(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A TCP server whose connections are handed to `serve`; gives host:port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    made, _peer = server.accept()
                except OSError:
                    return
                Thread(target=quietly, args=(serve, made), daemon=True).start()

        Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


def quietly(serve: Callable[[socket.socket], None], made: socket.socket) -> None:
    with made:
        try:
            serve(made)
        except OSError:
            return


def endless(head: bytes, part: bytes) -> Callable[[socket.socket], None]:
    """Serves a head, then the same part for as long as the far side takes it."""

    def serve(made: socket.socket) -> None:
        made.recv(65_536)
        made.sendall(head)
        while True:
            made.sendall(part)

    return serve


def exactly(made: socket.socket, size: int) -> bytes:
    """So many bytes. Raises ConnectionError when the far side closes before."""
    found = b""
    while len(found) < size:
        part = made.recv(size - len(found))
        if not part:
            raise ConnectionError("closed by the far side")
        found += part
    return found
