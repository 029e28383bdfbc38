"""What the admin protocol tells at a sweep: takes a simulated cluster and a moment, gives the rows."""

from typing import Any

from support.generators.days.cluster import T0, Key, Sim, since, when
from support.generators.days.quorum import quorum_rows
from support.generators.days.transactions import transactions

Row = dict[str, Any]
DEFAULTS = {"cleanup.policy": "delete", "retention.ms": "604800000", "min.insync.replicas": "2",
            "min.cleanable.dirty.ratio": "0.5", "unclean.leader.election.enable": "false"}  # fmt: skip
Tables = dict[str, list[Row]]


def admin(sim: Sim, t: float) -> Tables:
    logs, kraft = [log for log in sim.logs.values() if log.born <= t], by_kraft(sim, sim.brokers[0], t)
    members = [(group, *one) for group, many in sim.groups.items() for one in many if one[2] <= t < one[3]]
    tables: Tables = {
        "topics": [{"topic": log.topic, "partition": log.number, "leader": log.leader.at(t),
                    "topic_id": log.id.at(t) if since(sim, "2.8") else None, "replicas": log.replicas.at(t),
                    "isr": log.isr.at(t), "internal": log.topic.startswith("__")} for log in logs],
        "broker_configs": [row for broker in sim.brokers if sim.up(broker, t) for row in _configs(sim, broker, t)],
        "topic_configs": [
            {"topic": topic, "name": name, "value": value, "redacted": False, "is_default": False,
             "source": "DYNAMIC_TOPIC_CONFIG"}
            for topic, given in sim.settings.items() if any(log.topic == topic for log in logs)
            for name, value in (DEFAULTS | given).items()
        ],
        "groups": [{"group_id": group, "protocol_type": sim.state.protocols.get(group, "consumer"),
                    "state": group_state(sim, group, t)} for group in sim.groups],
        "group_members": [{"group_id": group, "member_id": one, "client_id": client, "client_host": host}
                          for group, one, _keys, _a, _b in members
                          for client, host in [sim.state.members.get(one, (one, "/10.1.0.7"))]],
        "group_assignments": [
            {"group_id": group, "member_id": one, "topic": topic, "partition": p}
            for group, one, keys, _a, _b in members if group_state(sim, group, t) == "Stable"
            for topic, p in keys if sim.logs[topic, p].born <= t
        ],
        "group_offsets": [
            {"group_id": group, "topic": key[0], "partition": key[1], "committed_offset": offset, "read_at": when(t)}
            for (group, key), kept in sim.commits.items() for offset in _latest(kept, t)
        ],
        "features": [{"feature": "metadata.version", "min_level": 1, "max_level": 14}] if kraft else [],
        "producers": _producers(sim, t),
    }  # fmt: skip
    return tables | transactions(sim, t) | {"quorum_replicas": _quorum(sim, t)}


def _quorum(sim: Sim, t: float) -> list[Row]:
    """Brokers of ZooKeeper cannot be asked, nor those before 3.3."""
    asked = since(sim, "3.3") and any(by_kraft(sim, one, t) and sim.up(one, t) for one in sim.brokers)
    return quorum_rows(sim, t) if asked else []


def by_kraft(sim: Sim, broker: int, t: float) -> bool:
    """Whether a broker runs with KRaft just now."""
    return sim.state.kraft[broker].at(t) if broker in sim.state.kraft else sim.kraft


def group_state(sim: Sim, group: str, t: float) -> str:
    """As the coordinator tells it; a group without members is empty whatever a day says of it."""
    if not any(a <= t < b for _client, _keys, a, b in sim.groups[group]):
        return "Empty"
    return sim.state.groups[group].at(t) if group in sim.state.groups else "Stable"


def _latest(kept: list[tuple[float, int]], t: float) -> list[int]:
    mine = [one for one in kept if one[0] <= t]
    return [max(mine)[1]] if mine and max(mine)[1] >= 0 else []  # below 0: gone with its topic


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


def _configs(sim: Sim, broker: int, t: float) -> list[Row]:
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
    roles = "broker" if sim.state.quorum.controllers else "broker,controller"
    given |= {"process.roles": roles, "controller.listener.names": "CONTROLLER"} if by_kraft(sim, broker, t) else {
        "zookeeper.connect": "zookeeper.example.org:2181"}  # fmt: skip
    given |= sim.config | (sim.state.configs[broker].at(t) if broker in sim.state.configs else {})
    return [{"broker": broker, "name": name, "value": value, "redacted": False, "is_default": name not in given,
             "source": "STATIC_BROKER_CONFIG" if name in given else "DEFAULT_CONFIG"}
            for name, value in (values | given).items()]  # fmt: skip
