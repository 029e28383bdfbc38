"""Pinned connections: takes the host of a URL, connects to an address of it that was checked, and can be cut off.

The name is resolved once; what is checked is what is connected to, so a name that changes in between gains nothing.
"""

import socket
import ssl
import threading
from contextlib import suppress
from typing import Any

import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NameResolutionError, NewConnectionError

from kafka_fleet.base.addresses import resolve
from kafka_fleet.collect.connections.certificates import Certificates
from kafka_fleet.collect.connections.pacing import Answer

ADDRESSES = 4  # of one name are tried, each within the time to connect


class Lines:
    """The open connections of one endpoint, so that the deadline can cut them whatever they wait for.

    Kept as duplicates: TLS takes the descriptor out of the socket it wraps, and a shutdown reaches both.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._cut = False

    def add(self, made: socket.socket) -> None:
        """Remember a new connection. Raises TimeoutError when the deadline came while it was made."""
        with self._lock:
            if self._cut:
                made.close()
                raise TimeoutError("the deadline has passed")
            self._open.append(made.dup())

    def last_peer(self) -> tuple[Any, ...] | None:
        """The address of the newest connection; None once it is gone."""
        with self._lock, suppress(OSError):
            return self._open[-1].getpeername() if self._open else None
        return None

    def cut(self) -> None:
        """Shut every connection down: a read that waits returns at once, and no new connection is taken."""
        with self._lock:
            self._cut = True
            for line in self._open:
                try:
                    line.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # the far side was faster
                finally:
                    line.close()
            self._open.clear()


class _Pinned:
    """Mixin of urllib3 connections: connect to a checked address and remember the connection for the deadline."""

    lines: Lines

    def _new_conn(self) -> Any:
        this: Any = self
        try:
            addresses = resolve(this.host, this.port)[:ADDRESSES]
        except PermissionError as error:
            raise Refused(str(error)) from error
        except (OSError, UnicodeError) as error:
            raise NameResolutionError(this.host, this, error) from error  # type: ignore[arg-type]
        for place, address in enumerate(addresses, start=1):
            try:
                made = urllib3.util.connection.create_connection(
                    (str(address), this.port), this.timeout, source_address=None, socket_options=this.socket_options
                )
            except OSError as error:
                if place == len(addresses):  # an agent that listens on IPv4 only is reached by the next address
                    kind = Dropped if isinstance(error, TimeoutError) else NewConnectionError
                    raise kind(this, f"{type(error).__name__}") from error
                continue
            self.lines.add(made)
            return made


class _Shown(_Pinned):
    """The same of HTTPS: what certificate the far side shows is noted, also where it is refused."""

    certificates: Certificates

    def connect(self) -> None:
        this: Any = self
        try:
            super().connect()  # type: ignore[misc]
        except (ssl.SSLError, urllib3.exceptions.SSLError) as error:
            cause = next((one for one in (error, *error.args, error.__cause__) if isinstance(one, ssl.SSLError)), None)
            if cause is not None:
                self.certificates.refused(this.host, this.port, self.lines.last_peer(), cause)
            raise
        self.certificates.accepted(this.host, this.port, this.sock.getpeercert(binary_form=True))


class Dropped(ConnectTimeoutError):
    """Packets were sent and nothing came back; what is refused is a ConnectTimeoutError to urllib3 as well."""


class Refused(HTTPError):
    """The address a name resolves to may not be contacted."""


class PinnedAdapter(HTTPAdapter):
    """Transport adapter of requests whose connections are pinned and cut by `lines`."""

    def __init__(self, lines: Lines, certificates: Certificates) -> None:
        made = {"lines": lines, "response_class": Answer, "certificates": certificates}
        self._http = type("PinnedHTTP", (_Pinned, HTTPConnection), made)
        self._https = type("PinnedHTTPS", (_Shown, HTTPSConnection), made)
        super().__init__(pool_connections=1, pool_maxsize=1, max_retries=0)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Called by requests; the pools make pinned connections."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {
            "http": type("PoolHTTP", (HTTPConnectionPool,), {"ConnectionCls": self._http}),
            "https": type("PoolHTTPS", (HTTPSConnectionPool,), {"ConnectionCls": self._https}),
        }
