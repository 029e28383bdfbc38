"""Metrics of Strimzi: takes a cluster's metricsConfig and its node pools, gives how a sweep reads its pods."""

from typing import NamedTuple

from kafka_fleet.discover.fields import Field
from kafka_fleet.discover.found import Agents

METRICS_PORT = 9404  # of both kinds of metrics, in every pod


class Pool(NamedTuple):
    """A node pool: whether its nodes are brokers, and their ids, none where the operator has not told them."""

    name: str
    brokers: bool
    nodes: list[int]


def pool_of(field: Field) -> Pool:
    """What a resource of the kind KafkaNodePool says."""
    roles = {one.text() for one in field.of("spec", "roles").items()}
    nodes = [one.whole() for one in field.of("status", "nodeIds").items()]
    name = field.of("metadata", "name").needed()
    return Pool(name, not roles or "broker" in roles, [one for one in nodes if one is not None])


def metrics_of(spec: Field, name: str, space: str, pools: list[Pool], near: bool) -> tuple[Agents | None, list[str]]:
    """How metrics are read, by the pods' own names where the listener advertises others; and what is to be said."""
    kind = spec.of("metricsConfig", "type").text()
    if kind is None:
        return None, ["no metricsConfig: brokers show no metrics (docs/metrics_endpoint.md)"]
    said = [f"metricsConfig {kind}: port {METRICS_PORT} of the pods, which only answers inside Kubernetes"]

    def urls(brokers: bool) -> dict[int, str]:
        service = f"{name}-kafka-brokers{f'.{space}.svc' if space else ''}"
        return {
            node: f"http://{name}-{pool.name}-{node}.{service}:{METRICS_PORT}/metrics"
            for pool in pools
            if pool.brokers is brokers
            for node in pool.nodes
        }

    if near:
        return Agents("metrics", f"http://{{host}}:{METRICS_PORT}/metrics", {}, urls(False)), said
    if urls(True):
        return Agents("metrics", None, urls(True), urls(False)), said
    said.append("metrics: fill in brokers by id: this listener has other hosts (kubectl get kafkanodepool)")
    return None, said
