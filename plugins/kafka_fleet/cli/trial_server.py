"""The page of a tried day on this machine alone: takes its app and a port, serves it until somebody interrupts."""

import socket

import uvicorn
from fastapi import FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware

from kafka_fleet.base.errors import UsageError

LOOPBACK = "127.0.0.1"


class PageServer:
    """A server that listens already. port: 0 takes a free one. Raises UsageError where it is taken."""

    def __init__(self, app: FastAPI, port: int) -> None:
        try:
            self._socket = socket.create_server((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            raise UsageError(f"--serve: port {port} cannot be listened on: {error}") from error
        # there is no login: a page elsewhere must not read it under a name of its own that leads here
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=[LOOPBACK, "localhost"])
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="warning", server_header=False))

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{LOOPBACK}:{self._socket.getsockname()[1]}/"

    def run(self) -> None:
        """Serve until Ctrl+C, SIGTERM or stop(); returns then."""
        try:
            self._server.run(sockets=[self._socket])
        except KeyboardInterrupt:  # which the server passes on after it has ended in order
            return

    def stop(self) -> None:
        """End run() from another thread."""
        self._server.should_exit = True
