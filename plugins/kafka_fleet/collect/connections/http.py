"""HTTP to one endpoint under hard limits: takes a URL and a body, gives the answer's bytes or a named failure.

`requests` has no wall-clock limit and follows redirects; this session refuses redirects and proxies, connects to the
address that was checked (not to the name a second time), and closes its sockets when the deadline has come.
"""

import http.client
import random
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType, TracebackType
from typing import NamedTuple, TypeVar

import requests
import urllib3
from urllib3.exceptions import HTTPError, NameResolutionError, NewConnectionError

from kafka_fleet.collect.connections.certificates import Certificates
from kafka_fleet.collect.connections.pacing import Flood
from kafka_fleet.collect.connections.pinned import Dropped, Lines, PinnedAdapter, Refused
from kafka_fleet.collect.connections.tls import handshake_error
from kafka_fleet.config.credentials import Credentials

T = TypeVar("T")
CHUNK = 256 * 1024
WAIT_S = (0.2, 0.6)  # before the one more try after a 5xx: random, so that brokers behind one proxy do not come at once
NO_CONNECTION = "no connection in time"
MOST_WAIT_S = 5.0  # who asks for more (Retry-After) is left to the next sweep


class Limits(NamedTuple):
    """Limits of one broker's sweep: seconds to connect, to wait for bytes, wall clock in all; bytes after decoding.

    stream_bytes: of an answer that is read piece by piece, and of which little is kept.
    """

    connect_s: float = 3.0
    read_s: float = 15.0
    deadline_s: float = 60.0
    max_bytes: int = 64 * 1024 * 1024
    stream_bytes: int = 256 * 1024 * 1024


class Failure(Exception):
    """A request did not give an answer. `kind` is one word of the outcome failed(kind); the text holds no body.

    status: the HTTP status where that is the failure. wait_s: after so many seconds one more try may help.
    """

    def __init__(self, kind: str, detail: str, status: int | None = None, wait_s: float | None = None) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.status = status
        self.wait_s = wait_s


class _Session(requests.Session):
    """Sees no redirect in any answer: even when told not to follow one, requests reads its whole body, unlimited."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """None, always; the status is judged by the endpoint."""
        return None


class Endpoint:
    """A session with one broker's endpoint; one request at a time, all of them before one wall-clock deadline."""

    def __init__(
        self,
        url: str,
        credentials: Credentials,
        limits: Limits,
        certificates: Certificates | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.url = url
        self._headers = headers
        self.limits = limits
        self.bytes = 0
        self.requests = 0
        self._deadline = time.monotonic() + limits.deadline_s
        self._lines = Lines()
        self._session = _Session()
        self._session.trust_env = False
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, PinnedAdapter(self._lines, certificates or Certificates()))
        if credentials.user is not None:  # as bytes: text would have to be Latin-1
            user, password = credentials.user.encode(), (credentials.password or "").encode()
            self._session.auth = requests.auth.HTTPBasicAuth(user, password)
        if credentials.ca_file:
            self._session.verify = credentials.ca_file
        if credentials.client_cert:
            key = credentials.client_key
            self._session.cert = (credentials.client_cert, key) if key else credentials.client_cert
        self._watch = threading.Timer(limits.deadline_s, self._lines.cut)
        self._watch.daemon = True
        self._watch.start()

    def __enter__(self) -> "Endpoint":
        return self

    def __exit__(self, _t: type[BaseException] | None, _v: BaseException | None, _tb: TracebackType | None) -> None:
        self._watch.cancel()
        self._session.close()
        self._lines.cut()

    def send(
        self, method: str, url: str, body: bytes | None = None, content_type: str = "application/json"
    ) -> bytearray:
        """One request, and one more after a 5xx where there is time for it; the decoded body. Raises Failure."""
        return self._tried(method, url, body, content_type, self._body)

    def read(self, url: str, take: Callable[[bytes], None]) -> Mapping[str, str]:
        """One GET, and one more after a 5xx, whose decoded body is taken piece by piece; the answer's headers.

        Raises Failure. take: what it raises ends the answer and is raised as it is.
        """
        found: dict[str, str] = {}

        def pieces(response: requests.Response) -> None:
            found.update({name.lower(): value for name, value in response.headers.items()})
            for part in self._pieces(response, self.limits.stream_bytes):
                take(part)

        self._tried("GET", url, None, "text/plain", pieces)
        return found

    def _tried(
        self, method: str, url: str, body: bytes | None, content_type: str, then: Callable[[requests.Response], T]
    ) -> T:
        try:
            return self._request(method, url, body, content_type, then)
        except Failure as failure:
            if failure.wait_s is None or time.monotonic() + failure.wait_s >= self._deadline:
                raise
            time.sleep(failure.wait_s)
        return self._request(method, url, body, content_type, then)

    def _request(
        self, method: str, url: str, body: bytes | None, content_type: str, then: Callable[[requests.Response], T]
    ) -> T:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise Failure("timeout", f"the deadline of {self.limits.deadline_s:g} s has passed")
        self.requests += 1
        timeout = (min(self.limits.connect_s, left), min(self.limits.read_s, left))
        headers = {**self._headers, "Content-Type": content_type, "Accept-Encoding": "identity"}
        send = partial(self._session.request, allow_redirects=False, stream=True)
        with self._named(lambda: send(method, url, data=body, headers=headers, timeout=timeout)) as response:
            self._refuse(response)
            return then(response)

    def _named(self, work: Callable[[], T]) -> T:
        """What the network gives; as a Failure what it raises, and not what is raised by those who take it."""
        try:
            return work()
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            self._session.close()  # the next try has a connection of its own: this one may be half read or half closed
            raise self._failure(error) from None

    def _refuse(self, response: requests.Response) -> None:
        status = response.status_code
        if status in (401, 403):
            raise Failure("auth", f"HTTP {status}: the login or the client certificate is refused")
        if 300 <= status < 400:
            raise Failure("redirect", f"HTTP {status}; redirects are not followed")
        if status != 200:
            again = 500 <= status < 600
            raise Failure("http", f"HTTP {status}", status, _wait_s(response) if again else None)

    def _body(self, response: requests.Response) -> bytearray:
        body = bytearray()  # grown in place: pieces and their sum side by side would be the answer twice
        for part in self._pieces(response, self.limits.max_bytes):
            body += part
        return body

    def _pieces(self, response: requests.Response, most: int) -> Iterator[bytes]:
        size = 0
        parts = response.raw.stream(CHUNK, decode_content=True)
        while (part := self._named(lambda: next(parts, None))) is not None:
            size += len(part)
            self.bytes += len(part)
            if self.bytes > most:
                raise Failure("too_large", f"more than {most} bytes")
            if time.monotonic() > self._deadline:
                break
            yield part
        if time.monotonic() > self._deadline:  # a connection that was cut looks like an answer that has ended
            raise Failure("timeout", f"the deadline of {self.limits.deadline_s:g} s has passed")
        expected = response.headers.get("Content-Length")
        if expected is not None and "Content-Encoding" not in response.headers and expected != str(size):
            announced = expected[:20] if expected.isdigit() else "an unreadable number"
            raise Failure("cut_off", f"{size} bytes of {announced}")

    def _failure(self, error: Exception) -> Failure:
        if time.monotonic() >= self._deadline:
            return Failure("timeout", f"the deadline of {self.limits.deadline_s:g} s has passed")
        chain = _chain(error)
        for types, kind, detail in _KINDS:  # in this order: a refused address is an OSError as well
            for cause in chain:
                if isinstance(cause, types):
                    return Failure(kind, handshake_error(cause) if kind == "tls" else detail or str(cause)[:120])
        return Failure("protocol", type(error).__name__)


def _wait_s(response: requests.Response) -> float | None:
    """Seconds until one more try; None when the far side asks for more than a sweep has."""
    asked = 0.0
    with suppress(urllib3.exceptions.InvalidHeader, ValueError, OverflowError):  # no seconds and no date: not there
        asked = urllib3.Retry().parse_retry_after(response.headers.get("Retry-After", "0"))
    return max(asked, 0.0) + random.uniform(*WAIT_S) if asked <= MOST_WAIT_S else None  # noqa: S311 - no secret


def _chain(error: BaseException) -> list[BaseException]:
    """The error, its reasons and causes, innermost last; requests and urllib3 wrap each other several times."""
    found: list[BaseException] = []
    todo: list[object] = [error]
    while todo:
        one = todo.pop(0)
        if isinstance(one, BaseException) and one not in found:
            found.append(one)
            todo += [getattr(one, "reason", None), one.__cause__, one.__context__, *one.args]
    return list(reversed(found))


_KINDS: list[tuple[tuple[type[BaseException], ...], str, str]] = [
    ((Refused,), "forbidden", ""),
    ((Flood,), "protocol", ""),
    ((socket.gaierror, NameResolutionError), "dns", "the host name does not resolve"),
    ((ssl.SSLError, urllib3.exceptions.SSLError), "tls", ""),
    ((Dropped,), "timeout", NO_CONNECTION),
    (
        (requests.exceptions.ReadTimeout, urllib3.exceptions.ReadTimeoutError, TimeoutError),
        "timeout",
        "no answer in time",
    ),
    ((ConnectionRefusedError,), "unreachable", "connection refused"),
    ((NewConnectionError,), "unreachable", "no connection"),
    ((ConnectionError, http.client.HTTPException, urllib3.exceptions.ProtocolError), "cut_off", "the answer broke off"),
    ((urllib3.exceptions.DecodeError,), "cut_off", "the answer's compression is broken"),
    ((OSError,), "unreachable", "no connection"),
]
