"""A cluster with channels, told of a judged day: takes what its channels are, gives what came of each."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kafka_fleet.config.credentials import Connection, CredentialsError, Resolver
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.notify.delivery import Notified, notify_channels
from support.builders.mailed_days import CLUSTER, DAY
from support.servers.channel_server import ChannelServer

SECRET = "s3cret-canary"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


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
