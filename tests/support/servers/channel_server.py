"""The other end of a channel on loopback: keeps every request, answers as a test says, or hangs up."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from support.servers.serving import QuietHandler, serving

LOST = 0  # in place of a status: the connection is closed


class Request(NamedTuple):
    """One POST; a GET, by which somebody followed a redirect, has an empty body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ChannelServer:
    """What came; `status` gives the answer to the n-th request, from 1 on. more, body: of each answer."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.status: Callable[[int], int] = lambda number: 202
        self.more: dict[str, str] = {}
        self.body = b""
        self.url = ""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])


@contextmanager
def channel_server(certificate: tuple[Path, Path] | None = None) -> Iterator[ChannelServer]:
    """A server for the length of the block. certificate: files of it and of its key, to serve over TLS."""
    kept = ChannelServer()

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            kept.requests.append(Request(self.path, dict(self.headers), body))
            status = kept.status(len(kept.requests))
            if status == LOST:
                self.close_connection = True
                return
            self._answer(status)

        def do_GET(self) -> None:
            kept.requests.append(Request(self.path, dict(self.headers), {}))
            self._answer(200)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{kept.url}/elsewhere")
            for name, value in kept.more.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(kept.body)))
            self.end_headers()
            with suppress(OSError):  # nobody has to read all of it
                self.wfile.write(kept.body)

    with serving(Handler, certificate) as kept.url:
        yield kept
