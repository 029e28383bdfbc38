"""Which target of Prometheus is which broker: takes the series of a day and the fleet entry, gives targets by broker.

A target is what Prometheus scrapes: the labels that all its series share, `job` and `instance` among them. Its broker
is given by the --map file, by a label with a broker's id, or by the host of `instance` as the fleet file has it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from kafka_fleet.collect.connections.prometheus import CLUSTER_LABELS, Prometheus, promql_string
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.prometheus_import.mapping import Choice
from kafka_fleet.schema.metric_names import Names
from kafka_fleet.schema.metric_spelling import exporter_name

MARK = "broker_metrics.partition_count"  # every broker has it, and nothing else that carries an exporter
BROKER_LABELS = ("broker_id", "broker", "node_id", "kafka_broker_id", "kafka_id")
SHOWN = 60  # characters of a label in a sentence

Labels = frozenset[tuple[str, str]]


class Targets(NamedTuple):
    """Targets by broker id, and a sentence per target whose broker is unknown."""

    by_broker: dict[int, list[Labels]]
    untold: list[str]


def matchers(labels: Iterable[tuple[str, str]]) -> str:
    """Labels as matchers of a selector, without braces."""
    return ",".join(f"{name}={promql_string(value)}" for name, value in sorted(labels))


def own_labels(metric: Mapping[str, str], target: Labels) -> dict[str, str]:
    """Labels that a series has besides its target's, names in lower case."""
    return {
        exporter_name(name): value
        for name, value in metric.items()
        if name != "__name__" and (name, value) not in target
    }


class ClusterTargets(NamedTuple):
    """What tells a cluster's targets: its entry, its part of the --map file, hosts that other clusters have as well."""

    cluster: Cluster
    choice: Choice
    shared: frozenset[str] = frozenset()


def shared_hosts(clusters: Iterable[Cluster]) -> frozenset[str]:
    """Hosts that more than one cluster of the fleet file has brokers on: they tell no cluster."""
    counted = Counter(host for cluster in clusters for host in _hosts(cluster))
    return frozenset(host for host, number in counted.items() if number > 1)


def find_targets(server: Prometheus, whose: ClusterTargets, names: Names, start_ms: int, end_ms: int) -> Targets:
    """The cluster's targets that had samples between two times. Raises Failure."""
    for selector in _selectors(whose.cluster, whose.choice):
        asked = f"{{__name__=~{promql_string(names.expression(MARK))}" + (f",{selector}}}" if selector else "}")
        found = {one for one in (_target(s, names) for s in server.series(asked, start_ms, end_ms)) if one}
        if found:
            return _told(whose, found, everything=whose.choice.selector is None and not selector)
    return Targets({}, [])


def _selectors(cluster: Cluster, choice: Choice) -> list[str]:
    """Selectors to try in order until one finds something; the last selects everything and goes by host alone."""
    if choice.selector is not None:
        return [choice.selector.strip().rstrip(",")]
    return [*(f"{label}={promql_string(cluster.id)}" for label in CLUSTER_LABELS), ""]


def _target(metric: Mapping[str, str], names: Names) -> Labels | None:
    for source in names.sources.get(metric.get("__name__", "").lower(), []):
        if f"{source.bean.table}.{source.column.name}" == MARK:
            labels = {exporter_name(name): value for name, value in metric.items()}
            if all(labels.get(label) == value for label, value in source.fixed.items()):
                return frozenset(
                    (name, value)
                    for name, value in metric.items()
                    if name != "__name__" and exporter_name(name) not in source.fixed
                )
    return None


def _told(whose: ClusterTargets, found: Iterable[Labels], everything: bool) -> Targets:
    hosts = _hosts(whose.cluster)
    if everything:
        hosts = {host: brokers | {-1} if host in whose.shared else brokers for host, brokers in hosts.items()}
    by_broker: dict[int, list[Labels]] = {}
    untold: list[str] = []
    for target in sorted(found, key=sorted):
        broker = _broker(dict(target), whose.choice, hosts, everything)
        if isinstance(broker, int):
            by_broker.setdefault(broker, []).append(target)
        elif broker is not None:
            untold.append(broker)
    return Targets(by_broker, untold)


def _broker(labels: dict[str, str], choice: Choice, hosts: dict[str, set[int]], everything: bool) -> int | str | None:
    """A broker id; a sentence; or None for a target that is another cluster's."""
    instance = labels.get("instance", "")
    if instance in choice.brokers:
        return choice.brokers[instance]
    told = f"the target {instance[:SHOWN]!r} is not read:"
    if choice.broker_label is not None:
        text = labels.get(choice.broker_label)
        match = re.search(choice.broker_pattern, text[:1000], re.ASCII) if text is not None else None
        number = _number(match[1]) if match else None
        shown = f"is {text[:SHOWN]!r}" if text is not None else "is missing"
        return (
            number if number is not None else f"{told} its label {choice.broker_label} {shown}, and tells no broker id"
        )
    if not everything:
        for label in BROKER_LABELS:
            number = _number(labels.get(label))
            if number is not None:
                return number
    host = _host(instance)
    brokers = hosts.get(host, set())
    if len(brokers) == 1:
        return next(iter(brokers))
    if -1 in brokers:
        return (
            f"{told} several clusters of the fleet file have brokers on {host[:SHOWN]!r}; give each a selector (--map)"
        )
    if brokers:
        return f"{told} the fleet file has the brokers {', '.join(map(str, sorted(brokers)))} on {host[:SHOWN]}"
    if everything and not choice.brokers:
        return None
    return f"{told} no label tells its broker, and the fleet file has no broker on {host[:SHOWN]!r}"


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,9}", text) else None


def _host(instance: str) -> str:
    """The host of host:port, [IPv6]:port, or of a URL."""
    try:
        return (urlsplit(instance if "://" in instance else f"//{instance}").hostname or instance).lower()
    except ValueError:
        return instance.lower()


def _hosts(cluster: Cluster) -> dict[str, set[int]]:
    """Broker ids by the hosts under which the fleet file knows them."""
    found: dict[str, set[int]] = {}
    for urls in (cluster.agents.brokers, cluster.node_exporter):
        for broker, url in urls.items():
            found.setdefault(_host(url), set()).add(broker)
    return found
