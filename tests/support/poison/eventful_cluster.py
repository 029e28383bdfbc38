"""A cluster to which much happens: takes its name, gives its raw tables, so that every query has rows to work on."""

import re
from datetime import timedelta
from functools import cache

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.raw_tables import raw_schemas
from support.builders.mutations import restart
from support.homes.recorded import Row, Sweep, recording

Tables = dict[str, list[Row]]  # rows by raw table, `cluster` and `sweep_at` among the columns


@cache
def queries() -> str:
    """The text of all queries."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(sql_dir().rglob("*.sql")))


@cache
def settings_read() -> tuple[str, ...]:
    """Names of settings that any query looks for."""
    return tuple(sorted(set(re.findall(r"'([a-z]+(?:[.][a-z.]+)+)'", queries()))))


def eventful(cluster: str) -> Tables:
    """A recorded cluster to which much happens, so that every query has rows to work on; all its raw tables."""
    sweeps = recording("follower331")
    restart(sweeps)
    _shrunk(sweeps)
    _elected(sweeps)
    _rewound(sweeps)
    _leaderless(sweeps)
    for number, one in enumerate(sweeps):
        one.cluster = cluster
        _added(one, number)
    _laid_beside(sweeps[1:3], sweeps[:2])
    found: Tables = {table: [] for table in raw_schemas()}
    for one in sweeps:
        for table, rows in one.tables.items():
            kept = [row for row in rows if table != "broker_configs" or row["name"] in settings_read()]
            kept = [row for row in kept if table != "request_times" or row["request"] in ("Produce", "FetchConsumer")]
            found[table] += [{"cluster": cluster, "sweep_at": one.at, **row} for row in kept]
    return found


def _shrunk(sweeps: list[Sweep]) -> None:
    """A follower is missing in in-sync sets of the last sweeps, and its leader changed once."""
    for one in sweeps[2:]:
        for row in one.rows("topics", topic="orders"):
            row["isr"] = row["isr"][:1]
        for row in one.rows("partitions", topic="orders"):
            row["isr_count"] = min(row["isr_count"] or 0, 1)
    for row in sweeps[3].rows("partitions", topic="orders", broker=1):
        row["log_end_offset"] = 3
    for row in [row for row in sweeps[4].rows("partitions") if row["topic"] != "orders"][:2]:
        row["replicas_count"] = 2 if row["replicas_count"] == 0 else 0


def _elected(sweeps: list[Sweep]) -> None:
    """Unclean elections are counted, and a replica that was not in sync leads at the last sweep."""
    for number, one in enumerate(sweeps):
        for row in one.rows("broker_metrics"):
            row["unclean_leader_elections"] = number
    for row in sweeps[4].rows("topics", topic="orders"):
        row["leader"] = next(broker for broker in row["replicas"] if broker not in row["isr"])


def _leaderless(sweeps: list[Sweep]) -> None:
    """Partitions have no leader at the last sweep, and a topic keeps the throttle of a reassignment."""
    for row in sweeps[4].rows("topics", topic="__consumer_offsets"):
        row["leader"] = None
    for one in sweeps:
        for row in one.rows("topic_configs", topic="orders", name="leader.replication.throttled.replicas"):
            row["value"] = "*"


def _rewound(sweeps: list[Sweep]) -> None:
    """A group goes back, another begins late, on a topic that it left and on one that it never read; a third has no
    member."""
    for number, one in enumerate(sweeps):
        for row in list(one.rows("group_offsets")):
            row["committed_offset"] = 1000 * (number + 1) if number < 4 else 5
            one.tables["group_offsets"].append({**row, "group_id": "set-by-others"})
            if number != 2:
                one.tables["group_offsets"].append({**row, "group_id": "comes-and-goes"})
            if number > 2:
                one.tables["group_offsets"].append({**row, "group_id": "late", "committed_offset": 900})
        for row in list(one.rows("groups")):
            one.tables["groups"].append({**row, "group_id": "set-by-others", "state": "Empty"})
        for table in ("groups", "group_members", "group_assignments"):
            for row in [row for row in one.rows(table) if row["group_id"] != "set-by-others"]:
                one.tables[table] += [{**row, "group_id": group} for group in ("late", "comes-and-goes")]
        one.tables.setdefault("topics", []).extend(
            {"topic": "__consumer_offsets", "topic_id": "c", "partition": n, "leader": 1 + n % 2, "replicas": [1, 2],
             "isr": [1, 2], "internal": True}
            for n in range(50)
            if not one.rows("topics", topic="__consumer_offsets", partition=n)
        )  # fmt: skip


def _added(sweep: Sweep, number: int) -> None:
    """Rows of the tables that were not recorded, and why some of what clients push was not read."""
    sweep.rows("sweeps")[0]["client_metrics_detail"] = "timeout: 20 s" if number == 2 else None
    for row in sweep.rows("brokers"):
        same = {"broker": row["broker"], "read_at": row["read_at"] or sweep.at}
        names = ("listen_overflows", "listen_drops", "syncookies_sent", "syncookies_received")
        counters = dict.fromkeys(names, 10 * number)
        sweep.tables.setdefault("hosts", []).append(
            {**same, **counters, "outcome": "ok", "detail": None, "tcp_syncookies": 1, "somaxconn": 128,
             "tcp_max_syn_backlog": 128, "boot_time_s": 1_700_000_000 + 1000 * (number > 3)}
        )  # fmt: skip
        sweep.tables.setdefault("recoveries", []).append({**same, "log_dir": "/data", "remaining_logs": 3})
        sweep.tables.setdefault("deprecated_requests", []).append(
            {**same, "request": "Fetch", "version": "3", "software": "x", "software_version": "1.0", "requests": 5}
        )
        sweep.tables.setdefault("request_errors", []).extend(
            {**same, "request": request, "error": f"COORDINATOR_{error}", "errors": 5 * number + 1}
            for request in ("JoinGroup", "ListTransactions")
            for error in ("LOAD_IN_PROGRESS", "NOT_AVAILABLE")
        )
        for metrics in sweep.rows("broker_metrics", broker=row["broker"]):
            metrics["deadlocked_threads"] = 2
        sweep.tables.setdefault("deadlocked_threads", []).extend(
            {**same, "cycle": 0, "thread": f"data-plane-kafka-request-handler-{one}", "waits_for": "java.lang.Object",
             "frames": [f"kafka.a.B.m{one}", "kafka.c.D.run"]}
            for one in (0, 1)
        )  # fmt: skip
        sweep.tables.setdefault("certificates", []).append(
            {**same, "service": "agent", "address": f"broker-{row['broker']}:8778", "tls": True, "verified": True,
             "subject": "agent", "issuer": "CA", "not_after": sweep.at + timedelta(days=9), "detail": None}
        )  # fmt: skip
        sweep.tables.setdefault("client_metrics", []).extend(
            {"client_id": "shop", "client_instance_id": "i", "instance": None, "topic": topic, "read_at": sweep.at,
             "record_sends": 5000 * number, "record_errors": 10 * number, "record_retries": 0, "queue_time_avg_ms": 1.0,
             "queue_time_max_ms": 9.0}
            for topic in (None, "orders") if row["broker"] == 1
        )  # fmt: skip
        sweep.tables.setdefault("disks", []).extend(
            {**same, "log_dir": log_dir, "total_bytes": 10**9, "usable_bytes": free - 10**8 * number}
            for log_dir, free in (("/data1", 9 * 10**8), ("/data2", 9 * 10**8), ("/data3", 6 * 10**8))
        )
        milliseconds = round(sweep.at.timestamp() * 1000)
        sweep.tables.setdefault("producers", []).extend(
            {**same, "topic": "orders", "partition": partition, "producer_id": producer, "producer_epoch": 0,
             "last_sequence": 9, "last_timestamp_ms": milliseconds - 1000}
            for partition in (0, 1)
            for producer in ((7,) if row["broker"] == 2 and number > 2 else (7, 8))
        )  # fmt: skip
        sweep.tables.setdefault("quorum_replicas", []).append(
            {**same, "leader": 1, "leader_epoch": number, "high_watermark": 100 * number, "replica": row["broker"],
             "directory_id": "d", "is_voter": True, "log_end_offset": 10, "leader_ms": milliseconds,
             "last_fetch_ms": milliseconds - 60_000 * (row["broker"] - 1), "last_caught_up_ms": milliseconds,
             "host": "h", "port": 9093}
        )  # fmt: skip
        sweep.tables["quorum_replicas"][-1].pop("broker")
        counted = {**same, "log": "broker", "outcome": "ok", "counted_from": sweep.at - timedelta(hours=number + 1)}
        lines = {"lines": 2 * number + 1, "first_at": sweep.at - timedelta(minutes=4), "last_at": sweep.at}
        sweep.tables.setdefault("log_marks", []).extend(
            {**counted, "detail": None, "port": None, "number": 40, **lines, "mark": mark}
            for mark in (None, "unclean_start", "recovered_segment", "isr_version_refused")
        )
        sweep.tables.setdefault("transaction_coordinators", []).append({**same, "listed": 2, "long_open": 1})
        sweep.tables.setdefault("open_transactions", []).extend(
            {**same, "topic": "orders", "partition": partition, "producer_id": 7, "producer_epoch": 0,
             "coordinator_epoch": 0, "start_offset": 5, "last_sequence": 9, "last_timestamp_ms": milliseconds - 60_000,
             "last_stable_offset": 5, "high_watermark": 90 + number, "all_asked": True, "coordinator": row["broker"],
             "transactional_id": "billing-1", "state": "CompleteAbort" if partition else "Ongoing",
             "timeout_ms": 1000, "started_ms": milliseconds - 60_000, "in_transaction": not partition}
            for partition in (0, 1)
        )  # fmt: skip


def _laid_beside(sweeps: list[Sweep], before: list[Sweep]) -> None:
    for one, earlier in zip(sweeps, before, strict=True):
        one.rows("sweeps")[0]["previous_sweep_at"] = earlier.at
        ends = {(row["broker"], row["topic"], row["partition"]): row for row in earlier.rows("partitions")}
        for row in one.rows("partitions"):
            found = ends.get((row["broker"], row["topic"], row["partition"]), {})
            row["previous_log_end_offset"] = found.get("log_end_offset")
            row["previous_log_start_offset"] = found.get("log_start_offset")
