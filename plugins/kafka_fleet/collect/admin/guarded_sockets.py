"""Connections of the Kafka library to checked addresses: takes TLS and SASL settings, gives the client's settings.

The library connects to whatever host a cluster advertises. It asks a proxy class, found by the scheme of `proxy_url`,
for the addresses of a name and connects to one of these; this class is no proxy and leaves the forbidden ones out. So
bootstrap servers and advertised brokers are held to the rule of the fleet file, and the address that was checked is
the one that is connected to. What comes back is bounded too: an answer in its size, a flood by a pause in its reading.
"""

import ipaddress
import socket
import ssl
from collections.abc import Callable
from typing import Any, ClassVar

from kafka.errors import KafkaConnectionError
from kafka.net import KafkaNetSocket
from kafka.net.transport import KafkaSSLTransport

from kafka_fleet.base.addresses import forbidden
from kafka_fleet.collect.connections.certificates import Certificates
from kafka_fleet.collect.connections.pacing import Pace

# The largest answer that is asked for is Metadata, and it cannot be asked for in parts: 44 bytes per partition with
# three replicas, so 9 MB of 200,000 partitions. Batches of topics and groups are a few MB and are halved when they are
# more. In memory an answer takes up to 46 times its size; the library's own limit of 100 MB would be 4.6 GB.
MOST_BYTES = 16 * 1024 * 1024
AT_ONCE = 1024 * 1024  # bytes that are taken from a connection before the library looks at them


class Forbidden(KafkaConnectionError):  # type: ignore[misc]
    """Every address of a host is one that is never contacted; the text is a sentence of `endpoints.forbidden`."""


class _Paced:
    """Mixin of sockets that do not wait: after AT_ONCE bytes in a row `recv` says once that there is nothing more.

    The library reads until there is nothing more, and only then looks at the size that the answer says. From a sender
    that is faster than it, it would read for ever.
    """

    _taken = 0
    _pace: Pace | None = None

    def _recv(self, read: Callable[[int, int], bytes], size: int, flags: int) -> bytes:
        if self._taken >= AT_ONCE and not self._held():
            self._taken = 0
            raise BlockingIOError
        try:
            found = read(size, flags)
        except (BlockingIOError, ssl.SSLWantReadError):
            self._taken = 0
            raise
        self._taken += len(found)
        self._pace = self._pace or Pace()
        self._pace.took(len(found))
        return found

    def _held(self) -> int:
        return 0


class PacedSocket(_Paced, socket.socket):
    """Plain TCP."""

    def recv(self, size: int, flags: int = 0) -> bytes:
        """At most `size` bytes."""
        return self._recv(super().recv, size, flags)


class PacedTLS(_Paced, ssl.SSLSocket):
    """TLS. Read decrypted bytes first: select() does not report them. What the far side shows is noted."""

    def do_handshake(self, block: bool = False) -> None:
        """As the library's; it is called again until it is whole."""
        host, certificates = str(self.server_hostname or ""), getattr(self.context, "certificates", None)
        try:
            super().do_handshake(block)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            if certificates is not None:
                peer = self.getpeername()
                certificates.refused(host, peer[1], peer, error)
            raise
        if certificates is not None:
            certificates.accepted(host, self.getpeername()[1], self.getpeercert(binary_form=True))

    def recv(self, size: int = 1024, flags: int = 0) -> bytes:
        """At most `size` bytes."""
        return self._recv(super().recv, size, flags)

    def _held(self) -> int:
        return self.pending()


class CheckedSocket(KafkaNetSocket):  # type: ignore[misc]
    """Plain TCP, to allowed addresses only."""

    SCHEMES: ClassVar[tuple[str, ...]] = ("checked",)

    def dns_lookup(self, host: str, port: int, raise_error: bool = False) -> list[Any]:
        """What getaddrinfo gives, without forbidden addresses. Raises Forbidden when none is left."""
        found: list[Any] = super().dns_lookup(host, port, raise_error)
        reasons = [forbidden(ipaddress.ip_address(str(one[4][0]).split("%")[0])) for one in found]
        allowed = [one for one, reason in zip(found, reasons, strict=True) if reason is None]
        if found and not allowed:
            raise Forbidden(reasons[0])
        return allowed

    def socket(self, family: int = socket.AF_UNSPEC, sock_type: int = socket.SOCK_STREAM, proto: int = 0) -> Any:
        """A socket of one address, not yet connected."""
        return PacedSocket(family, sock_type, proto)


def client_settings(settings: dict[str, Any], certificates: Certificates | None = None) -> dict[str, Any]:
    """Settings of every client that is made here. Raises OSError for certificates that cannot be loaded.

    certificates: takes what the brokers show.
    """
    found = {**settings, "proxy_url": "checked://", "receive_message_max_bytes": MOST_BYTES}
    if "SSL" in settings.get("security_protocol", "PLAINTEXT"):
        context = KafkaSSLTransport._build_ssl_context({**KafkaSSLTransport.DEFAULT_CONFIG, **settings})
        context.sslsocket_class = PacedTLS
        context.certificates = certificates
        found["ssl_context"] = context
    return found
