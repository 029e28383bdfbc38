"""Clients of the Kafka library that give up in time: takes servers and settings, gives a client, connected.

The library bounds the TCP connection and the answers, and not what is between them: a TLS handshake with a server that
takes connections and says nothing is waited for without end.
"""

import time
from typing import Any

from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.net.compat import KafkaNetClient
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector

from kafka_fleet.collect.admin.guarded_sockets import client_settings
from kafka_fleet.collect.connections.certificates import Certificates

MOST_S = 15.0  # for one answer


class _Manager(KafkaConnectionManager):  # type: ignore[misc]
    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        """As the library's. Raises KafkaTimeoutError where the handshake is not over at `timeout_at` (monotonic)."""
        building = self.call_soon(super()._build_transport, node, timeout_at)
        left_ms = None if timeout_at is None else 1000 * max(0.0, timeout_at - time.monotonic())
        try:
            return await self.wait_for(building, left_ms)
        except errors.KafkaTimeoutError:
            building.add_callback(lambda transport: transport.close())  # nobody takes what comes later
            raise


class BoundedClient(KafkaNetClient):  # type: ignore[misc]
    """The library's network client, with handshakes that end."""

    def __init__(self, **configs: Any) -> None:
        net = NetworkSelector(**configs)
        super().__init__(net=net, manager=_Manager(net, **configs))


def admin_client(
    servers: list[str],
    settings: dict[str, Any],
    deadline_s: float,
    certificates: Certificates | None = None,
    **more: object,
) -> KafkaAdminClient:
    """A client of the library, connected. Raises KafkaError, OSError, ValueError or AssertionError.

    deadline_s: for its first connection and for each answer, at most MOST_S. more: settings of the library, instead of
    what every client has.
    """
    wait_ms = int(min(MOST_S, deadline_s) * 1000)
    made: list[BoundedClient] = []

    def client(**configs: Any) -> BoundedClient:
        made.append(BoundedClient(**configs))
        return made[-1]

    own = {"request_timeout_ms": wait_ms, "bootstrap_timeout_ms": wait_ms, "kafka_client": client}
    try:
        return KafkaAdminClient(
            bootstrap_servers=servers,
            client_id="kafka-fleet-health",
            **{**own, **client_settings(settings, certificates), **more},
        )
    except BaseException:
        for one in made:  # the library leaves its thread behind
            one.close()
        raise


def wait_for_answers(client: KafkaAdminClient, seconds: float) -> None:
    """So long at most for each answer from now on, on connections that are made from now on."""
    wait_ms = int(min(MOST_S, seconds) * 1000)
    client.config["request_timeout_ms"] = client._manager.config["request_timeout_ms"] = wait_ms
