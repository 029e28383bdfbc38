"""Configs of generated clusters: takes a Spec or a Topic, gives rows as DescribeConfigs would, if rules read them."""

from typing import Any

from support.generators.fleetgen.shape import Spec, Topic

Row = dict[str, Any]


def broker_configs(spec: Spec, broker: int) -> list[Row]:
    """One broker's settings; a name that the release does not know has no row."""
    own = "INTERNAL" if spec.own_listener else ""
    listeners = "PLAINTEXT://:9092" + (",INTERNAL://:9093" if spec.own_listener else "")
    values = {
        "listeners": listeners,
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": own,
        "security.inter.broker.protocol": "PLAINTEXT",
        "num.replica.fetchers": "1",
        "num.network.threads": "3",
        "num.io.threads": "8",
        "replica.lag.time.max.ms": "30000" if spec.since("2.5") else "10000",
        "auto.leader.rebalance.enable": "true",
        "leader.imbalance.check.interval.seconds": "300",
        "leader.imbalance.per.broker.percentage": "10",
        "controlled.shutdown.enable": "true",
        "unclean.leader.election.enable": "false",
        "min.insync.replicas": "2",
        "default.replication.factor": "3",
        "offsets.topic.replication.factor": "3",
        "offsets.topic.num.partitions": str(spec.offsets_partitions),
        "offsets.retention.minutes": "10080" if spec.since("2.0") else "1440",
        "request.timeout.ms": "30000",
        "connections.max.idle.ms": "600000",
        "log.retention.hours": "168",
    }
    if spec.since("3.2"):
        values["socket.listen.backlog.size"] = str(spec.backlog)
    if spec.since("2.4"):
        values["replica.selector.class"] = ""
    if spec.kraft:
        combined = spec.tells_controller and broker in spec.brokers[:3]
        values |= {
            "process.roles": "broker,controller" if combined else "broker",
            "controller.listener.names": "CONTROLLER",
        }
    else:
        values["zookeeper.connect"] = "zookeeper.example.org:2181"
    values |= spec.configs
    given = {"listeners", "zookeeper.connect", "process.roles", *spec.configs}
    return [
        {"broker": broker, "name": name, "value": value, "redacted": False, "is_default": name not in given,
         "source": "STATIC_BROKER_CONFIG" if name in given else "DEFAULT_CONFIG"}
        for name, value in values.items()
    ]  # fmt: skip


def topic_configs(topic: Topic) -> list[Row]:
    """A topic's settings that rules read."""
    internal = topic.name.startswith("__")
    values = {
        "cleanup.policy": "compact" if internal else "delete",
        "retention.ms": str(round(1000 * topic.retention_s)),
        "min.insync.replicas": "2" if topic.rf > 2 else "1",
        "min.cleanable.dirty.ratio": "0.5",
        "unclean.leader.election.enable": "false",
    }
    return [
        {"topic": topic.name, "name": name, "value": value, "redacted": False, "is_default": not internal,
         "source": "DYNAMIC_TOPIC_CONFIG" if internal else "DEFAULT_CONFIG"}
        for name, value in values.items()
    ]  # fmt: skip
