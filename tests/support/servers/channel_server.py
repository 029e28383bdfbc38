"""The other end of a channel on loopback: keeps every request, answers as a test says, or hangs up."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from support.servers.serving import QuietHandler, serving

LOST = 0  # in place of a status: the connection is closed


class Request(NamedTuple):
    """One POST."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ChannelServer:
    """What came; `status` gives the answer to the n-th request, from 1 on."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.status: Callable[[int], int] = lambda number: 202
        self.url = ""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])


@contextmanager
def channel_server() -> Iterator[ChannelServer]:
    """A server for the length of the block."""
    kept = ChannelServer()

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            kept.requests.append(Request(self.path, dict(self.headers), body))
            status = kept.status(len(kept.requests))
            if status == LOST:
                self.close_connection = True
                return
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{kept.url}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

    with serving(Handler) as kept.url:
        yield kept
