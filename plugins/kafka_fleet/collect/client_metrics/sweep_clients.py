"""What clients pushed (KIP-714), of one sweep: takes a cluster's entry, gives rows of `client_metrics` or a sentence.

Only the newest sample of each series counts, with its own time, and none that is older than FRESH: a client that
ended, or a receiver that hangs, would otherwise look like one that lost nothing.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from kafka_fleet.collect.client_metrics.client_series import Pushed, client_rows, clients_selectors
from kafka_fleet.collect.connections.http import Failure, Limits
from kafka_fleet.collect.connections.prometheus import CLUSTER_LABELS, Prometheus
from kafka_fleet.collect.connections.query_api import said_of
from kafka_fleet.config.client_metrics import ClientMetrics
from kafka_fleet.config.credentials import Credentials, CredentialsError, Resolver, http_credentials
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.knowledge.metric_tables import shipped_names
from kafka_fleet.schema.metric_names import Names
from kafka_fleet.schema.metric_spelling import ClientNames

Within = Callable[[], Limits | None]
TABLE = "client_metrics"
FRESH = timedelta(minutes=5)  # as far as Prometheus itself looks back
ANSWER_S = 20.0  # of one answer; there are two at most, each asked for twice where it was cut off
LATE = "timeout: not asked: the cluster's other endpoints took all of its time"


def sweep_clients(cluster: Cluster, resolver: Resolver, within: Within) -> Pushed:
    """What clients pushed up to now. within: the limits that are left of the sweep; None: its time is over."""
    declared = cluster.client_metrics
    if declared is None:
        return Pushed([])
    try:
        credentials = http_credentials(declared.connection, resolver)
        return _read(cluster.id, declared, credentials, within)
    except CredentialsError as error:
        return Pushed([], f"credentials: {error}")
    except Failure as failure:
        return Pushed([], f"{failure.kind}: {said_of(failure, 'Prometheus', 'is the selector right?')}")


def _read(cluster: str, declared: ClientMetrics, credentials: Credentials, within: Within) -> Pushed:
    names, end = _names(declared), round(datetime.now(UTC).timestamp() * 1000)
    start = end - round(FRESH.total_seconds() * 1000)
    for selector in clients_selectors(cluster, declared.selector, names):
        limits = within()
        if limits is None:
            return Pushed([], LATE)
        limits = limits._replace(deadline_s=min(limits.deadline_s, ANSWER_S))
        server = Prometheus(declared.prometheus, credentials, limits)
        if (pushed := client_rows(server, selector, names, start, end, newest=True)).rows:
            return pushed
    whose = f"a label {' or '.join(CLUSTER_LABELS)} of its id" if declared.selector is None else "its selector"
    minutes = FRESH // timedelta(minutes=1)
    return Pushed([], f"no_samples: no series with {whose} tells of a client in the last {minutes} min")


def _names(declared: ClientMetrics) -> Names:
    shipped, own = shipped_names(), ClientNames(metrics=declared.metrics)
    return shipped._replace(clients=shipped.clients | own.columns())
