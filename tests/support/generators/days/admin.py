"""What the admin protocol tells at a sweep: takes a simulated cluster and a moment, gives the rows."""

from datetime import UTC, datetime
from typing import Any

from support.generators.days.cluster import T0, Key, Sim

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def when(t: float) -> datetime:
    return datetime.fromtimestamp(T0 + t, UTC)


def since(sim: Sim, release: str) -> bool:
    def line(text: str) -> tuple[int, int]:
        major, minor = text.split(".")[:2]
        return int(major), int(minor)

    return line(sim.release) >= line(release)


def admin(sim: Sim, t: float) -> Tables:
    logs = [log for log in sim.logs.values() if log.born <= t]
    members = [(group, *one) for group, many in sim.groups.items() for one in many if one[2] <= t < one[3]]
    tables: Tables = {
        "topics": [{"topic": log.topic, "partition": log.number, "leader": log.leader.at(t),
                    "topic_id": f"id-{log.topic}" if since(sim, "2.8") else None, "replicas": log.replicas.at(t),
                    "isr": log.isr.at(t), "internal": log.topic.startswith("__")} for log in logs],
        "broker_configs": [row for broker in sim.brokers if sim.up(broker, t) for row in _configs(sim, broker)],
        "topic_configs": [
            {"topic": topic, "name": name, "value": value, "redacted": False, "is_default": False,
             "source": "DYNAMIC_TOPIC_CONFIG"}
            for topic, given in sim.settings.items() if any(log.topic == topic for log in logs)
            for name, value in ({"cleanup.policy": "delete", "retention.ms": "604800000", "min.insync.replicas": "2",
                                 "unclean.leader.election.enable": "false"} | given).items()
        ],
        "groups": [{"group_id": group, "protocol_type": "consumer",
                    "state": "Stable" if any(one[0] == group for one in members) else "Empty"} for group in sim.groups],
        "group_members": [{"group_id": group, "member_id": client, "client_id": client, "client_host": "/10.1.0.7"}
                          for group, client, _keys, _a, _b in members],
        "group_assignments": [
            {"group_id": group, "member_id": client, "topic": topic, "partition": p}
            for group, client, keys, _a, _b in members for topic, p in keys if sim.logs[topic, p].born <= t
        ],
        "group_offsets": [
            {"group_id": group, "topic": key[0], "partition": key[1], "committed_offset": offset, "read_at": when(t)}
            for (group, key), kept in sim.commits.items() for offset in _latest(kept, t)
        ],
        "features": [{"feature": "metadata.version", "min_level": 1, "max_level": 14}] if sim.kraft else [],
        "producers": _producers(sim, t),
        "transaction_coordinators": [
            {"broker": broker, "read_at": when(t), "listed": 1, "long_open": 0}
            for broker in sim.brokers if sim.up(broker, t) and since(sim, "3.0")
        ],
        "quorum_replicas": _quorum(sim, t),
    }  # fmt: skip
    return tables


def log_end(t: float) -> int:
    """End of the metadata log, which grows by two records a second."""
    return int(2 * (t + 100_000))


def _quorum(sim: Sim, t: float) -> list[Row]:
    """The first three brokers are the voters; one that is away has not fetched from this leader."""
    if not sim.kraft or not since(sim, "3.3"):
        return []
    clock = round(1000 * (T0 + t))
    return [
        {"read_at": when(t), "leader": sim.controller.at(t), "leader_epoch": 5, "high_watermark": log_end(t),
         "replica": broker, "is_voter": broker <= 3, "log_end_offset": log_end(t) if sim.up(broker, t) else None,
         "leader_ms": clock, "last_fetch_ms": clock - 300 if sim.up(broker, t) else None,
         "last_caught_up_ms": clock - 300 if sim.up(broker, t) else None}
        for broker in sim.brokers if broker <= 3 or sim.up(broker, t)
    ]  # fmt: skip


def _latest(kept: list[tuple[float, int]], t: float) -> list[int]:
    mine = [one for one in kept if one[0] <= t]
    return [max(mine)[1]] if mine else []


def _producers(sim: Sim, t: float) -> list[Row]:
    """What DescribeProducers tells of each replica, from 2.8 on."""
    rows: list[Row] = []
    if not since(sim, "2.8"):
        return rows
    of: dict[Key, list[int]] = {}
    for key, producer in sim.writers:
        of.setdefault(key, []).append(producer)
    for key, producers in of.items():
        for broker in (b for b in sim.logs[key].replicas.at(t) if sim.up(b, t)):
            known = [p for p in producers if not any(b == broker and since <= t and p == gone
                                                     for b, since, gone in sim.forgets)]  # fmt: skip
            base: Row = {"broker": broker, "read_at": when(t), "topic": key[0], "partition": key[1]}
            written = {p: [one for one in sim.writers[key, p] if one[0] <= t] for p in known}
            mine = [
                {**base, "producer_id": 7000 + p, "producer_epoch": 0, "last_sequence": last[-1][1] - 1,
                 "last_timestamp_ms": round(1000 * (T0 + last[-1][0]))} for p, last in written.items() if last
            ]  # fmt: skip
            rows += mine or [base]
    return rows


def _configs(sim: Sim, broker: int) -> list[Row]:
    """What DescribeConfigs says, with Kafka's defaults of the release."""
    values = {
        "listeners": "PLAINTEXT://:9092", "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "security.inter.broker.protocol": "PLAINTEXT", "num.replica.fetchers": "1", "num.network.threads": "3",
        "num.io.threads": "8", "replica.lag.time.max.ms": "30000", "auto.leader.rebalance.enable": "true",
        "leader.imbalance.check.interval.seconds": "300", "leader.imbalance.per.broker.percentage": "10",
        "controlled.shutdown.enable": "true", "unclean.leader.election.enable": "false", "min.insync.replicas": "2",
        "default.replication.factor": "3", "offsets.topic.replication.factor": "3",
        "offsets.retention.minutes": "10080", "offsets.topic.num.partitions": "5",
        "request.timeout.ms": "30000", "connections.max.idle.ms": "600000",
        "log.retention.hours": "168", "transactional.id.expiration.ms": "604800000",
        "producer.id.expiration.ms": "86400000",
    }  # fmt: skip
    if since(sim, "3.2"):
        values["socket.listen.backlog.size"] = "50"
    given = {"broker.rack": f"rack-{broker}"} if sim.racks else {}
    selector = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
    given |= {"replica.selector.class": selector} if sim.racks else {}
    given |= {"process.roles": "broker,controller", "controller.listener.names": "CONTROLLER"} if sim.kraft else {
        "zookeeper.connect": "zookeeper.example.org:2181"}  # fmt: skip
    given |= sim.config
    return [{"broker": broker, "name": name, "value": value, "redacted": False, "is_default": name not in given,
             "source": "STATIC_BROKER_CONFIG" if name in given else "DEFAULT_CONFIG"}
            for name, value in (values | given).items()]  # fmt: skip
