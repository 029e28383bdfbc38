"""Certificates that servers show: takes what TLS handshakes of a sweep gave, says per address until when each is valid.

The handshakes are those that the sweep makes anyway. Where one fails at the check of the certificate, the certificate
is asked for once more on a connection that is closed right behind it: no request and no login goes over it.
"""

import socket
import ssl
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.x509.oid import NameOID

from kafka_fleet.collect.connections.tls import handshake_error

AGAIN_S = 3.0  # for the one more handshake
LONGEST = timedelta(days=3650)  # a certificate of a thousand years is told as one of ten


class Shown(NamedTuple):
    """What came of the handshake with one address. der: its certificate; None: not shown. fault: why it is refused."""

    read_at: datetime
    der: bytes | None
    fault: str | None


class Certificates:
    """Certificates of one sweep by address (`host:port`). Filled from several threads.

    tls: whether the connection that they are of is to be encrypted; None: not known, for want of its settings.
    """

    def __init__(self) -> None:
        self.tls: bool | None = None
        self._lock = Lock()
        self._shown: dict[str, Shown] = {}

    def accepted(self, host: str, port: int, der: bytes | None) -> None:
        """A handshake that was whole."""
        self._keep(host, port, Shown(datetime.now(UTC), der, None))

    def refused(self, host: str, port: int, peer: tuple[Any, ...] | None, error: ssl.SSLError) -> None:
        """A handshake that failed. peer: the address that the name led to; None: not known any more."""
        der = None
        if isinstance(error, ssl.SSLCertVerificationError) and peer is not None:
            with self._lock:
                known = self._shown.get(address(host, port))
            der = known.der if known is not None else shown_to_anyone(str(peer[0]), int(peer[1]), host)
        self._keep(host, port, Shown(datetime.now(UTC), der, handshake_error(error)))

    def of(self, host: str, port: int) -> Shown | None:
        """What is known of an address."""
        with self._lock:
            return self._shown.get(address(host, port))

    def addresses(self) -> list[str]:
        """Every address of which something is known."""
        with self._lock:
            return sorted(self._shown)

    def at(self, one: str) -> Shown:
        """What is known of one of `addresses`."""
        with self._lock:
            return self._shown[one]

    def _keep(self, host: str, port: int, found: Shown) -> None:
        """A certificate that was seen is not forgotten for a later handshake without."""
        with self._lock:
            known = self._shown.get(address(host, port))
            if known is None or found.der is not None or known.der is None:
                self._shown[address(host, port)] = found


def address(host: str, port: int) -> str:
    """`host:port`, the host of an IPv6 address in brackets."""
    host = host.strip("[]").rstrip(".").lower()
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def shown_to_anyone(peer: str, port: int, host: str) -> bytes | None:
    """The certificate of a server that is not trusted; None where it shows none in time. Nothing else is sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((peer, port), AGAIN_S) as line,
            context.wrap_socket(line, server_hostname=host) as secured,
        ):
            return secured.getpeercert(binary_form=True)
    except (OSError, ValueError):
        return None


def told(shown: Shown) -> dict[str, Any]:
    """Columns of the raw table `certificates`. detail: why the certificate is not verified, or could not be read."""
    row: dict[str, Any] = {"read_at": shown.read_at, "tls": True, "verified": shown.der is not None and not shown.fault}
    row["detail"] = shown.fault
    if shown.der is None:
        return row | {"detail": shown.fault or "the handshake showed no certificate"}
    try:
        found = x509.load_der_x509_certificate(shown.der)
        after = min(found.not_valid_after_utc, shown.read_at + LONGEST)
        return row | {
            "not_after": after,
            "subject": _name(found.subject) or _first_host(found),
            "issuer": _name(found.issuer),
        }
    except (ValueError, TypeError, OverflowError, x509.ExtensionNotFound):
        return row | {"detail": "its certificate cannot be read"}


def _name(name: x509.Name) -> str | None:
    found = name.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found[0].value) if found else None


def _first_host(found: x509.Certificate) -> str | None:
    """The first name that a certificate without a common name is for."""
    try:
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return None
    hosts = names.get_values_for_type(x509.DNSName)
    return str(hosts[0]) if hosts else None
