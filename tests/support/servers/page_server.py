"""The Fleet Health page served on loopback: takes a home, gives its URL; who asks shows a bearer token."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import Depends, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from fleet_demo.processes import LOOPBACK, free_port
from kafka_fleet.page.app import make_app

TOKEN = "a-token-of-airflow"
PREFIX = "/fleet-health"  # as Airflow mounts it


def _guard(shown: Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]) -> None:
    if shown is None:
        raise HTTPException(401, "Not authenticated")
    if shown.credentials != TOKEN:
        raise HTTPException(403, "Forbidden")


@contextmanager
def page_server(home: Path) -> Iterator[str]:
    """The URL of the page, until the block ends."""
    port = free_port()
    app = make_app(lambda: home, [Depends(_guard)])
    config = uvicorn.Config(app, host=LOOPBACK, port=port, root_path=PREFIX, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + 30
        while not server.started:
            assert thread.is_alive(), "the page's server has ended"
            assert time.monotonic() < deadline, "the page's server does not start"
            time.sleep(0.05)
        yield f"http://{LOOPBACK}:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
