"""Connections that come back after a restart: takes a sweep, gives what listeners hold and what their queues take.

Clients that were connected to a broker connect again as it comes back, in the same second or two. What finds no place
in the kernel's queue (the backlog) is dropped or accepted by SYN cookie (KAFKA-9648).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.store.raw.newest_sweep import SweepTables

BACKLOG = "socket.listen.backlog.size"
DEFAULT_BACKLOG = 50  # of brokers that have no such setting, which is all before 3.2
_SETTINGS = (
    BACKLOG, "inter.broker.listener.name", "security.inter.broker.protocol", "controller.listener.names",
    "control.plane.listener.name", "num.replica.fetchers",
)  # fmt: skip


@dataclass(frozen=True)
class Listener:
    """A listener of one broker. held: connections of clients. backlog: the queue in force.

    assumed: the setting was not read and 50 is taken. kernel: net.core.somaxconn was read, which cuts the setting off.
    """

    broker: int
    listener: str
    held: int
    backlog: int
    assumed: bool
    kernel: bool

    @property
    def beyond(self) -> int:
        """Connections that its queue cannot take at once."""
        return max(0, self.held - self.backlog)


def _number(text: Any) -> int | None:
    return int(text) if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 10 else None


def whole_connections(value: float | None) -> int:
    """A gauge of connections as a number of them; 0 for what is none."""
    return max(0, round(min(value, 2**31))) if value is not None and isfinite(value) else 0


def _settings(tables: SweepTables) -> Mapping[int, Mapping[str, str | None]]:
    """Of each broker whose settings were read, those that are needed here."""
    rows = tables.table("broker_configs")
    found: dict[int, dict[str, str | None]] = {broker: {} for broker in pc.unique(rows["broker"]).to_pylist()}
    for one in rows.filter(pc.is_in(rows["name"], pa.array(_SETTINGS))).to_pylist():
        found[one["broker"]][one["name"]] = one["value"]
    return found


def listeners(tables: SweepTables, brokers: int) -> Mapping[int, list[Listener]]:
    """Listeners for clients of each broker that told of its connections, the fullest first. brokers: how many exist.

    Connections that brokers hold among themselves on a listener for clients are taken off: fetchers to each other one.
    """
    settings = _settings(tables)
    limits = {one["broker"]: one["somaxconn"] for one in tables.table("hosts").to_pylist()}
    rows = tables.table("listeners")
    held = rows.filter(pc.is_finite(rows["connections"])).group_by(["broker", "listener"])
    found: dict[int, list[Listener]] = {}
    for one in held.aggregate([("connections", "sum")]).to_pylist():
        broker, listener = one["broker"], one["listener"] or ""
        own = settings.get(broker, {})
        if listener.upper() in _for_controllers(own):
            continue
        others = _between_brokers(own, listener, brokers)
        limit = limits.get(broker)
        backlog = _number(own.get(BACKLOG)) or DEFAULT_BACKLOG
        found.setdefault(broker, []).append(
            Listener(
                broker,
                listener,
                max(0, whole_connections(one["connections_sum"]) - others),
                backlog if limit is None else min(backlog, limit),
                broker not in settings,
                limit is not None,
            )
        )
    return {
        broker: sorted(own, key=lambda one: (-one.beyond, -one.held, one.listener)) for broker, own in found.items()
    }


def nameless_connections(tables: SweepTables, brokers: int) -> int:
    """Connections of clients that name no library: Java before 2.4, and some others; without those of brokers."""
    settings = _settings(tables)
    found: Counter[tuple[int, str]] = Counter()
    for one in tables.table("client_software").to_pylist():
        if (one["software"] or "unknown").casefold() == "unknown":
            found[one["broker"], one["listener"] or ""] += whole_connections(one["connections"])
    own = {key: settings.get(key[0], {}) for key in found}
    return sum(
        max(0, count - _between_brokers(own[key], key[1], brokers))
        for key, count in found.items()
        if key[1].upper() not in _for_controllers(own[key])
    )


def _between_brokers(settings: Mapping[str, str | None], listener: str, brokers: int) -> int:
    """Connections that the fetchers of all other brokers hold on a listener; they name no library."""
    fetchers = _number(settings.get("num.replica.fetchers")) or 1
    return fetchers * max(0, brokers - 1) if listener.upper() == _for_brokers(settings) else 0


def _for_brokers(settings: Mapping[str, str | None]) -> str:
    """The listener that brokers call each other on; the protocol names it where it has no name of its own."""
    return (settings.get("inter.broker.listener.name") or settings.get("security.inter.broker.protocol") or "").upper()


def _for_controllers(settings: Mapping[str, str | None]) -> set[str]:
    """Listeners that no client calls on."""
    named = [settings.get("controller.listener.names"), settings.get("control.plane.listener.name")]
    return {part.strip().upper() for text in named if text for part in text.split(",")}
