"""Rows of the raw table `certificates`: takes what a sweep asked and what handshakes showed, gives one per address.

An address that was to be spoken to and did not get so far has a row too, which says so.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from kafka_fleet.collect.connections.certificates import Certificates, address, told

NOT_REACHED = "no TLS handshake with it in this sweep"
Row = dict[str, Any]


def certificate_rows(
    kafka: Certificates,
    agents: Certificates,
    listed: Mapping[int, Mapping[str, Any]],
    servers: list[str],
    urls: Mapping[int, str | None],
) -> list[Row]:
    """kafka, agents: what listeners and agents showed. listed: brokers as Metadata has them.

    servers: bootstrap servers, of which the sweep may have tried the first alone. urls: of agents.
    """
    return [*_listeners(kafka, listed, servers), *_agents(agents, urls)]


def _listeners(shown: Certificates, listed: Mapping[int, Mapping[str, Any]], servers: list[str]) -> Iterator[Row]:
    known = {address(row["host"], row["port"]): broker for broker, row in listed.items()}
    if shown.tls is False:
        yield from (_plain("listener", one, broker) for one, broker in known.items())
        return
    seen = shown.addresses()
    for one in seen:
        yield {"service": "listener", "broker": known.get(one), "address": one, **told(shown.at(one))}
    for one, broker in known.items():
        if one not in seen:
            yield _unread("listener", one, broker)
    if not known and not seen:  # nobody told of any broker
        yield from (_unread("listener", one, None) for one in servers[:1])


def _agents(shown: Certificates, urls: Mapping[int, str | None]) -> Iterator[Row]:
    for broker, url in urls.items():
        place = _place(url)
        if place is None:
            continue
        scheme, host, port = place
        where = address(host, port)
        if scheme != "https":
            yield _plain("agent", where, broker)
            continue
        found = shown.of(host, port)
        if found is None:
            yield _unread("agent", where, broker)
        else:
            yield {"service": "agent", "broker": broker, "address": where, **told(found)}


def _place(url: str | None) -> tuple[str, str, int] | None:
    """Scheme, host and port of an agent's URL; None where there is none, or it is no URL."""
    try:
        parts = urlsplit(url or "")
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _plain(service: str, one: str, broker: int | None) -> Row:
    return {"service": service, "broker": broker, "address": one, "tls": False, "verified": False}


def _unread(service: str, one: str, broker: int | None) -> Row:
    row = {"service": service, "broker": broker, "address": one, "tls": True, "verified": False}
    return row | {"detail": NOT_REACHED}
