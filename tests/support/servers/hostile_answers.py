"""HTTP answers that never end, unpack to gigabytes, break off, or come a byte at a time."""

import socket
import time
import zlib
from contextlib import ExitStack, contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any

from support.servers.jolokia_simulator import answer


def trickle(handler: BaseHTTPRequestHandler, start: bytes) -> None:
    handler.wfile.write(start)
    while True:
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
    while True:
        handler.wfile.write(piece)


@cache
def packed() -> bytes:
    packer = zlib.compressobj(9, wbits=31)  # 10 GB of blanks in 10 MB: a block that looks back at nothing, 100 times
    begin = packer.compress(b" ") + packer.flush(zlib.Z_FULL_FLUSH)
    block = b"".join(packer.compress(b" " * 1_000_000) for _ in range(100)) + packer.flush(zlib.Z_FULL_FLUSH)
    return begin + block * 100


def bomb(handler: BaseHTTPRequestHandler) -> None:
    answer(handler, packed(), Content_Encoding="gzip")


def cut(text: bytes, announced: int | None) -> Any:
    length = b"" if announced is None else b"Content-Length: %d\r\n" % announced
    return lambda handler: handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + length + b"\r\n" + text)


@contextmanager
def dropping():
    """A port that drops every SYN, as the kernel does for a listener whose queue is full; gives its URL."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _place in range(2):  # fills the queue: one more than the backlog
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        time.sleep(0.05)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/jolokia"
