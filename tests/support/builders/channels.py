"""A cluster with channels, told of a judged day: takes what its channels are, gives what came of each."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kafka_fleet.config.credentials import Connection, CredentialsError, Resolver
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.notify.delivery import Notified, notify_channels
from kafka_fleet.notify.message import Event, Message
from support.builders.mailed_days import CLUSTER, DAY
from support.servers.channel_server import ChannelServer

SECRET = "s3cret-canary"
HOSTILE = "<!channel> [a](http://evil) <http://evil|x> *b* & \u202e"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def message(*actions: str, text: str = HOSTILE) -> Message:
    """Of payments-eu, with an event for each action, in hostile words."""
    events = tuple(
        Event(f"{number:032}", action, f"KAFKA-{number}", HOSTILE, "exposed", "confirmed", "high", "https://p/#f")
        for number, action in enumerate(actions or ("open",))
    )
    return Message("payments-eu", "production", "2026-11-20", HOSTILE, text, "https://page/clusters/a", events)


def cluster(*channels: dict[str, Any], **more: Any) -> Cluster:
    """payments-eu with these channels."""
    entry = {"id": CLUSTER, "environment": "production", "owners": ["a@example.org"], "bootstrap_servers": ["k:9092"]}
    return Cluster.model_validate({**entry, "notify": list(channels), **more})


def connections(server: ChannelServer, **more: Any) -> Resolver:
    """One connection, `there`, to the server; no other."""

    def resolve(name: str) -> Connection:
        if name != "there":
            raise CredentialsError(f"connection {name}: there is none")
        return Connection(**{"login": None, "password": SECRET, "extra": {}, "host": server.url, **more})

    return resolve


def told(home: Path, server: ChannelServer, via: str = "webhook", ds: str = DAY, **more: Any) -> Notified:
    """Tell one channel of a day. minutes: after NOON; level: its at_least."""
    entry = {"via": via, "connection": more.pop("connection", "there"), "at_least": more.pop("level", "confirmed")}
    now = NOON + timedelta(minutes=more.pop("minutes", 0))
    resolver = connections(server, **more.pop("fields", {}))
    (one,) = notify_channels(home, ds, cluster(entry), resolver, clock=lambda: now, **more)
    return one
