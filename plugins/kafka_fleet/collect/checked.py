"""Connections of the Kafka library to checked addresses: takes host and port, gives the addresses that are allowed.

The library connects to whatever host a cluster advertises. It asks a proxy class, found by the scheme of `proxy_url`,
for the addresses of a name and connects to one of these; this class is no proxy and leaves the forbidden ones out. So
bootstrap servers and advertised brokers are held to the rule of the fleet file, and the address that was checked is
the one that is connected to.
"""

import ipaddress
from typing import Any, ClassVar

from kafka.errors import KafkaConnectionError
from kafka.net import KafkaNetSocket

from kafka_fleet.endpoints import forbidden

SETTINGS = {"proxy_url": "checked://"}  # of every client that is made here


class CheckedSocket(KafkaNetSocket):  # type: ignore[misc]
    """Plain TCP, to allowed addresses only."""

    SCHEMES: ClassVar[tuple[str, ...]] = ("checked",)

    def dns_lookup(self, host: str, port: int, raise_error: bool = False) -> list[Any]:
        """What getaddrinfo gives, without forbidden addresses. Raises KafkaConnectionError when none is left."""
        found: list[Any] = super().dns_lookup(host, port, raise_error)
        reasons = [forbidden(ipaddress.ip_address(str(one[4][0]).split("%")[0])) for one in found]
        allowed = [one for one, reason in zip(found, reasons, strict=True) if reason is None]
        if found and not allowed:
            raise KafkaConnectionError(f"forbidden: {reasons[0]}")
        return allowed
