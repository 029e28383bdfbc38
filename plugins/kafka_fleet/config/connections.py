"""Connections that a fleet file names: takes clusters and a resolver, gives a sentence per unusable connection."""

from collections.abc import Callable, Iterable
from functools import partial

from kafka_fleet.config.channel_providers import require_provider
from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import CredentialsError, Resolver, http_credentials, kafka_settings
from kafka_fleet.config.fleet import Cluster

PREFIX = "AIRFLOW_CONN_"
UseChannel = Callable[[Channel, Resolver], object]


def channel_credentials(channel: Channel, resolver: Resolver) -> object:
    """What is asked of a channel's connection whatever its kind. Raises CredentialsError."""
    return http_credentials(channel.connection, resolver)


def _named(
    cluster: Cluster, resolver: Resolver, use_channel: UseChannel
) -> list[tuple[str, str | None, Callable[[], object]]]:
    """(field, connection id, what would be done with it)."""
    kafka, agent = cluster.kafka_connection, cluster.agents.connection
    section = "metrics" if cluster.metrics else "jolokia"
    marks, told = cluster.log_marks, cluster.notify
    clients = cluster.client_metrics.connection if cluster.client_metrics else None
    logs, source = (marks.connection, "loki" if marks.loki else "textfile") if marks else (None, "")
    return [
        ("kafka_connection", kafka, partial(kafka_settings, kafka, resolver)),
        (f"{section}.connection", agent, partial(http_credentials, agent, resolver)),
        (f"log_marks.{source}.connection", logs, partial(http_credentials, logs, resolver)),
        ("client_metrics.connection", clients, partial(http_credentials, clients, resolver)),
        *((f"notify.connection of {one.name}", one.connection, partial(use_channel, one, resolver)) for one in told),
        *(("notify.via", None, partial(require_provider, via)) for via in dict.fromkeys(one.via for one in told)),
    ]


def connection_problems(
    clusters: Iterable[Cluster], resolver: Resolver, use_channel: UseChannel = channel_credentials
) -> list[str]:
    """What would be said of each connection that cannot be used; no text holds a value of a connection."""
    found = []
    for cluster in clusters:
        for field, name, use in _named(cluster, resolver, use_channel):
            try:
                use()
            except CredentialsError as error:
                text = f"cluster {cluster.id}: {field}: {error}"
                if name is not None and name.upper().startswith(PREFIX):
                    text += f"; write the id, {name[len(PREFIX) :].lower()}, without {PREFIX}"
                found.append(text)
    return found
