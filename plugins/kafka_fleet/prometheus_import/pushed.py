"""Metrics that clients pushed (KIP-714) in a day of a Prometheus: takes a cluster and its windows, gives rows of each.

They are an optional input: that they cannot be read costs no sweep of the brokers, and is said in each. Where the
server was not there for a moment the window is left to the next import, which may have both.
"""

from kafka_fleet.collect.client_metrics.client_series import Pushed, client_rows, clients_selectors
from kafka_fleet.collect.connections.http import Failure
from kafka_fleet.collect.connections.prometheus import Prometheus
from kafka_fleet.collect.connections.query_api import AGAIN, LIMITED
from kafka_fleet.schema.metric_names import Names

Window = tuple[int, int]  # ms since epoch; the end is not in it


def pushed_series(server: Prometheus, names: Names, cluster: str, given: str | None, day: Window) -> str | Pushed:
    """The selector of a cluster's series, or why there is none. given: as clients_selectors takes it.

    Raises Failure where the server does not answer.
    """
    for one in clients_selectors(cluster, given, names):
        try:
            if server.series(one, *day):
                return one
        except Failure as failure:
            return _unread(failure)
    return Pushed([])


def pushed_rows(server: Prometheus, names: Names, clients: str | Pushed, window: Window) -> Pushed:
    """What clients pushed in a window, by what pushed_series gave. Raises Failure where the server does not answer."""
    if isinstance(clients, Pushed):
        return clients
    try:
        return client_rows(server, clients, names, *window)
    except Failure as failure:
        return _unread(failure)


def _unread(failure: Failure) -> Pushed:
    if failure.kind in AGAIN or failure.status == LIMITED:
        raise failure
    return Pushed([], f"{failure.kind}: {failure.detail}")
