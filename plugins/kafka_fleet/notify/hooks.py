"""Hooks of Airflow's providers: takes a hook's class and a connection of ours, gives the class with this connection.

A hook looks its connection up in Airflow, which only knows its own; here it is what the fleet's resolver gave, inside
Airflow and outside. Hooks and the libraries below them log addresses, headers and bodies; while one sends they log
nothing.
"""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from airflow.sdk import Connection as AirflowConnection

from kafka_fleet.config.credentials import Connection

NO_LOG = logging.Logger("kafka_fleet.notify.hooks", logging.CRITICAL + 1)
NO_LOG.disabled = True
_TALKERS = (
    "urllib3.connectionpool",
    "urllib3.util.retry",
    "atlassian.rest_client",
    "pagerduty.api_client",
    "httpx2",
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.http2",
    "httpcore2.proxy",
    "httpcore2.socks",
)
_SENDING: ContextVar[bool] = ContextVar("sending", default=False)


def _is_quiet(_record: logging.LogRecord) -> bool:
    return not _SENDING.get()


for _name in _TALKERS:
    logging.getLogger(_name).addFilter(_is_quiet)


@contextmanager
def quiet() -> Iterator[None]:
    """Libraries log nothing of what this context asks; what others ask is logged as before."""
    mark = _SENDING.set(True)
    try:
        yield
    finally:
        _SENDING.reset(mark)


def connected(hook: Any, conn_id: str, connection: Connection) -> Any:
    """The hook's class; it finds this connection under every name, and has no log of its own."""
    made = AirflowConnection(
        conn_id=conn_id,
        conn_type=hook.conn_type,
        host=connection.host,
        login=connection.login,
        password=connection.password,
        schema=connection.schema,
        port=connection.port,
        extra=json.dumps(dict(connection.extra), default=str),  # YAML has dates
    )
    return type(hook.__name__, (hook,), {"log": NO_LOG, "get_connection": classmethod(lambda _cls, _name: made)})
