"""Random raw rows of committed offsets: takes a random source, gives sweeps of a cluster whose groups do anything.

Nothing here is a healthy or a faulty cluster: values are drawn so that every branch of a definition is taken somewhere.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from support.generators.random_groups import DECLARED, OFFSETS, SIZE, RandomGroups

Row = dict[str, Any]
Tables = dict[str, list[Row]]
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
BROKER = (
    "brokers", "broker_metrics", "request_errors", "log_dirs", "partitions", "broker_topics", "client_software",
    "broker_configs", "features",
)  # fmt: skip


class RandomCommits:
    """One cluster: what its brokers, the admin protocol and the fleet file tell of a world that RandomGroups moves."""

    def __init__(self, rng: Random, cluster: str) -> None:
        self.rng, self.cluster = rng, cluster
        self.world = RandomGroups(rng)
        self.every = rng.choice((20, 31, 60, 600))
        self.silent = rng.choice(self.world.brokers) if rng.random() < 0.15 else None  # a broker without an agent
        self.retention = rng.choice(("1440", "10080", None))
        patterns = rng.sample(DECLARED, rng.randint(0, 4))
        policies = "latest", "latest", "earliest", "none", None
        drawn = [(pattern, rng.choice(policies)) for pattern in patterns]
        self.declared = {one: {"auto.offset.reset": to} if to else {"client.rack": "set"} for one, to in drawn}
        self.clients = [(name, rng.choice((0, 1, 7))) for name in ("3.9.1", "4.0.0", "4.1.1", "2.0.1", "10.0.0")]

    def sweeps(self) -> Iterator[tuple[str, datetime, Tables]]:
        """Sweeps of the day, in order, at most one of the day before first."""
        rng = self.rng
        at = MIDNIGHT + timedelta(seconds=round(rng.uniform(-1, 0.5) * self.every))
        for _ in range(rng.randint(4, 9)):
            self.world.step(at)
            yield self.cluster, at, self._tables(at)
            steps = rng.choice((1, 1, 1, rng.uniform(0.5, 1.6)))
            at = max(at + timedelta(milliseconds=round(1000 * self.every * steps)), MIDNIGHT)

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _tables(self, at: datetime) -> Tables:
        rng, world = self.rng, self.world
        tables: Tables = {name: [] for name in BROKER}
        failed = not world.calm and self._chance(0.05)
        for broker in world.brokers:
            unread = broker == self.silent or (not world.calm and self._chance(0.06))
            read = None if unread else at + timedelta(milliseconds=rng.randrange(900))
            tables["brokers"].append({
                "broker": broker, "is_broker": True, "host": None if failed else f"broker-{broker}", "read_at": read,
                "outcome": "failed" if read is None else "ok", "missing": [],
            })  # fmt: skip
            if read is not None:
                self._read(tables, {"broker": broker, "read_at": read})
        missing = [] if world.calm else rng.choices(([], ["groups"], ["members"]), (0.88, 0.06, 0.06))[0]
        if failed:
            outcome: Row = {"admin_outcome": "failed", "admin_missing": ["every admin table"]}
        else:
            tables["topics"] = [self._told(*place) for place in world.parts]
            tables["broker_configs"] = self._configs()
            tables["topic_configs"] = self._policies()
            tables["features"] = self._features()
            names = [] if missing == ["groups"] else self._groups(tables, at, hidden=missing == ["members"])
            unread = ["groups", "group_members", "group_assignments", "group_offsets"] if not names else names[1:]
            outcome = {"admin_outcome": "partial" if unread else "ok", "admin_missing": unread}
        tables["sweeps"] = [{"ended_at": at + timedelta(seconds=2), **outcome}]
        entry = {"id": self.cluster, "client_configs": {"groups": self.declared, "producers": []}}
        tables["declarations"] = [{"environment": "staging", "owners": [], "declaration": json.dumps(entry)}]
        return tables

    def _told(self, topic: str, number: int) -> Row:
        one = self.world.parts[topic, number]
        named = self.world.release != "1.1.1"
        return {"topic": topic, "topic_id": self.world.ids[topic] if named else None, "partition": number,
                "leader": one["leader"], "internal": topic == OFFSETS, "replicas": one["replicas"],
                "isr": sorted(one["isr"] - {None})}  # fmt: skip

    def _policies(self) -> list[Row]:
        """One topic is compacted, in a third of the clusters."""
        policies = {topic: "compact,delete" if topic == "late" and self.retention is None else "delete"
                    for topic in self.world.ids}  # fmt: skip
        return [
            {"topic": topic, "name": "cleanup.policy", "value": value, "redacted": False, "is_default": False,
             "source": "DYNAMIC_TOPIC_CONFIG"}
            for topic, value in policies.items()
        ]  # fmt: skip

    def _groups(self, tables: Tables, at: datetime, hidden: bool) -> list[str]:
        """Rows of the groups; gives "groups" and the tables that some of them are missing from."""
        for name in ("groups", "group_members", "group_assignments", "group_offsets"):
            tables[name] = []
        read = at + timedelta(milliseconds=self.rng.randrange(1000, 3000))
        for name, one in self.world.groups.items():
            if not one["listed"]:
                continue
            known = {"group_id": name}
            tables["groups"].append(known | {"state": one["state"], "protocol_type": "consumer"})
            tables["group_offsets"] += [
                known | {"topic": topic, "partition": number, "committed_offset": offset,
                         "read_at": read}
                for (topic, number), offset in one["offsets"].items()
            ]  # fmt: skip
            if one["state"] in ("Empty", "Dead") or hidden or one["hides"]:
                continue
            member = known | {"member_id": f"{name}-0"}
            tables["group_members"].append(member | {"client_id": name, "client_host": "10.0.0.1"})
            tables["group_assignments"] += [member | {"topic": t, "partition": p} for t, p in sorted(one["assigned"])]
        return ["groups", "group_members"] if hidden else ["groups"]

    def _read(self, tables: Tables, known: Row) -> None:
        world, broker = self.world, known["broker"]
        new, counts = world.release != "1.1.1", world.counts[broker]
        tables["broker_metrics"].append(known | {
            "release": world.release, "jvm_start_ms": world.started[broker], "broker_state": 3,
            "unclean_leader_elections": None if world.release == "3.8.0" else counts["unclean"],
            "cleaner_dead_threads": world.cleaner["dead"] if new else None,
            "cleaner_idle_ms": world.cleaner["idle_ms"],
            "offsets_load_ms_max": float(counts["load_ms"]) if new else None,
            "offset_commits": float(counts["commits"]) if new else None,
            "offset_expirations": float(counts["expired"]) if new else None,
            "offset_deletions": float(counts["deleted"]) if new else None,
            "group_offsets": counts["held"], "groups": len(world.groups), "messages_in": counts["messages"],
        })  # fmt: skip
        tables["request_errors"] += [
            known | {"request": "Fetch", "error": "OFFSET_OUT_OF_RANGE", "errors": counts["out_of_range"]},
            known | {"request": "Fetch", "error": "NONE", "errors": counts["messages"]},
        ]
        tables["log_dirs"] += [
            known | {"log_dir": f"/d{number}", "uncleanable_partitions": many if new else None, "offline": 0}
            for number, many in enumerate(world.cleaner["uncleanable"])
        ]
        for (topic, number), one in world.parts.items():
            if broker in one["replicas"]:
                tables["partitions"].append(known | {"topic": topic, "partition": number} | self._log(broker, one))
        tables["broker_topics"] += [
            known | {"topic": topic, "produce_batches": 0, "fetch_reads": 0, **meters}
            for topic, meters in world.meters[broker].items()
        ]
        if new:
            tables["client_software"] += [
                known | {"listener": "CLIENTS", "network_processor": number % 2, "connections": float(many),
                         "software": "apache-kafka-java", "software_version": version}
                for number, (version, many) in enumerate(self.clients)
            ]  # fmt: skip

    def _log(self, broker: int, one: Row) -> Row:
        leads = broker == one["leader"] or broker == one["also_leads"]
        end = max(one["start"], one["end"] - one["behind"].get(broker, 0))
        told = {"isr_count": len(one["isr"]), "replicas_count": len(one["replicas"])} if leads else dict.fromkeys(
            ("isr_count", "replicas_count"), 0
        )  # fmt: skip
        # markers and compaction change what an offset weighs
        size = one["size"] or SIZE * max(0, end - one["start"]) * (2, 1, 1)[(end + one["start"]) % 3]
        return {"log_end_offset": end, "log_start_offset": one["start"], "size_bytes": size, **told}

    def _features(self) -> list[Row]:
        """Of clusters in KRaft; leaders may come from the eligible replicas in a third of them."""
        eligible = {"eligible.leader.replicas.version": 1} if self.retention == "10080" else {}
        levels = {"metadata.version": 27, **eligible} if self.world.release == "4.1.1" else {}
        return [{"feature": name, "min_level": 0, "max_level": level} for name, level in levels.items()]

    def _configs(self) -> list[Row]:
        mode = {"1.1.1": "zookeeper.connect", "2.8.2": "zookeeper.connect"}.get(self.world.release, "process.roles")
        values = {
            "inter.broker.listener.name": "PLAINTEXT",
            "offsets.retention.minutes": self.retention,
            mode: "broker",
        }
        return [
            {"broker": broker, "name": name, "value": value, "redacted": False, "is_default": False,
             "source": "STATIC_BROKER_CONFIG"}
            for broker in self.world.brokers
            for name, value in values.items()
            if value is not None
        ]  # fmt: skip
