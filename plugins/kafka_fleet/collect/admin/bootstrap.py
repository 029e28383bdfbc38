"""Bootstrap servers before and after the Kafka library: takes host:port texts, gives why they cannot be used."""

import socket
import ssl
import time
from threading import Thread
from typing import Any

from kafka import errors
from kafka.admin import KafkaAdminClient

from kafka_fleet.base.addresses import resolve
from kafka_fleet.collect.admin import bounded_client
from kafka_fleet.collect.admin.guarded_sockets import client_settings
from kafka_fleet.collect.connections.certificates import Certificates
from kafka_fleet.collect.connections.tls import handshake_error

MOST = 10  # servers of a list that are tried: any one of them names all brokers, and each may take its time
FIRST_S = 5.0  # for the one try of a server with TLS or SASL
ALONE_S = 7.5  # for each of the first servers that are tried one by one
ANSWER_S = 5.0  # at least, for one answer, if all of the time is as long: a busy broker is slow, and no silent one


def usable_servers(servers: list[str]) -> tuple[list[str], str]:
    """The servers that are tried, and a part of a sentence that is empty unless the list has more of them."""
    more = f"; the first {MOST} of {len(servers):,} bootstrap servers were tried" if len(servers) > MOST else ""
    return servers[:MOST], more


def refused_server(servers: list[str], seconds: float) -> str | None:
    """Why the first of these servers that is never contacted is not: its name resolves to forbidden addresses only.

    The names are resolved side by side. One whose answer has not come within `seconds` is not waited for: its address
    is checked again when the library connects to it.
    """
    found: list[str | None] = [None] * len(servers)

    def ask(place: int, server: str) -> None:
        found[place] = _refused(server)

    asking = [Thread(target=ask, args=one, daemon=True) for one in enumerate(servers)]
    end = time.monotonic() + seconds
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(max(0.0, end - time.monotonic()))
    return next((problem for problem in found if problem is not None), None)


def _refused(server: str) -> str | None:
    host, _colon, port = server.rpartition(":")
    try:
        resolve(host.strip("[]"), int(port))
    except PermissionError as error:
        return f"forbidden: {error}"
    except (OSError, UnicodeError):
        return None  # another server of the list may have a name that resolves
    return None


def turned_down(servers: list[str], settings: dict[str, Any], certificates: Certificates | None = None) -> str | None:
    """Why no server takes a connection with these TLS and SASL settings, after one try of each; else None.

    The library's own bootstrap tries again until its time is up: a dozen logins with a wrong password in every sweep,
    enough to lock an account, and at the end it only says that time ran out. None also where a retry may succeed.
    """
    if settings.get("security_protocol", "PLAINTEXT") == "PLAINTEXT":
        return None
    met: list[str] = []
    for server in servers[:3]:
        fault = _one_try(server, settings, certificates)
        if fault is None:
            return None
        met.append(f"{server}: {fault}")
    return "; ".join(met)


def _one_try(server: str, settings: dict[str, Any], certificates: Certificates | None) -> str | None:
    """None when the server takes the connection, and when it cannot be said that it never will."""
    try:
        made = client_settings(settings, certificates)
    except OSError as error:  # a file of the settings that is no certificate or key
        return handshake_error(error) if isinstance(error, ssl.SSLError) else None
    client = bounded_client.BoundedClient(bootstrap_servers=[server], **made)
    manager = client._manager
    (broker,) = manager.cluster.bootstrap_brokers()
    known: list[Any] = []

    async def connect() -> None:
        known.append(manager.get_connection(broker.node_id, FIRST_S * 1000, False, False))
        await known[0]

    try:
        manager.run(connect)
    except (errors.KafkaError, OSError, ValueError, AssertionError) as error:
        for cause in (error, error.__cause__, error.__context__, *error.args):
            if isinstance(cause, ssl.SSLError):
                return handshake_error(cause)
        # brokers close a connection right behind their "no", and kafka-python 3.0.12 drops what came with the close
        refused = (
            known and known[0].broker_version_data is not None and settings["security_protocol"].startswith("SASL")
        )
        return "it speaks Kafka and refuses the login (mechanism, user or password)" if refused else None
    finally:
        client.close()
    return None


def connected_client(
    servers: list[str], settings: dict[str, Any], deadline_s: float, certificates: Certificates | None = None
) -> KafkaAdminClient:
    """A client that is connected to one of these servers, all of them tried at once and then the first one by one.

    The library asks one server after the other, and one that takes connections and answers nobody, as a broker does
    whose request handlers stand still, has all of its time. Raises KafkaError, OSError, ValueError or AssertionError.
    """
    shared_s = min(15.0, deadline_s / 2 if len(servers) > 1 else deadline_s)
    try:
        return _attempt(servers, settings, shared_s, deadline_s, certificates)
    except errors.KafkaTimeoutError:
        if len(servers) == 1:
            raise
        end = time.monotonic() + deadline_s / 2
        first = servers[:3]
        for place, server in enumerate(first):
            left = min(ALONE_S, (end - time.monotonic()) / (len(first) - place))
            if left > 0 and _accepts(server):
                try:
                    return _attempt([server], settings, left, deadline_s, certificates)
                except (errors.KafkaError, OSError, ValueError, AssertionError):
                    continue
        raise


def _attempt(
    servers: list[str], settings: dict[str, Any], seconds: float, deadline_s: float, certificates: Certificates | None
) -> KafkaAdminClient:
    """A client that is connected within `seconds`, and what its last answer takes more: half of them, of a list."""
    answer_s = max(seconds / 2, min(seconds, ANSWER_S)) if len(servers) > 1 else seconds
    wait = {"bootstrap_timeout_ms": int(seconds * 1000), "request_timeout_ms": int(answer_s * 1000)}
    client = bounded_client.admin_client(servers, settings, deadline_s, certificates, **wait)
    bounded_client.wait_for_answers(client, deadline_s)
    return client


def _accepts(server: str) -> bool:
    """Whether something listens there."""
    host, _colon, port = server.rpartition(":")
    try:
        socket.create_connection((str(resolve(host.strip("[]"), int(port))[0]), int(port)), 2.0).close()
    except (OSError, UnicodeError):
        return False
    return True


def diagnose_connection(servers: list[str]) -> str:
    """What a plain connection to the first servers meets; the library only says that time ran out."""
    met = []
    for server in servers[:3]:
        host, _colon, port = server.rpartition(":")
        try:
            socket.create_connection((str(resolve(host.strip("[]"), int(port))[0]), int(port)), 2.0).close()
            met.append(
                f"{server} accepts connections and does not answer as Kafka, or not with these TLS/SASL settings"
            )
        except socket.gaierror:
            met.append(f"{server} does not resolve")
        except OSError as error:
            met.append(f"{server}: {(error.strerror or 'no connection in time').lower()}")
    return "; ".join(met)
