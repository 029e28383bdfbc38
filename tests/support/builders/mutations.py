"""Recorded sweeps with one thing gone wrong each: gives cluster id -> sweeps, ready to be landed beside the others.

All but one come from follower331: sweep 0 before the load, sweeps 1 to 4 under it, broker 2 is the slow follower.
"""

from datetime import UTC, datetime, timedelta
from functools import partial

from support.homes.recorded import Row, Sweep, changed, recorded_day

ADMIN = ("topics", "broker_configs", "topic_configs", "features", "groups", "group_members", "group_assignments")
NOT_JOLOKIA = ("brokers", "broker_configs", "hosts")
COUNTED = ("broker_metrics", "requests", "broker_topics")
GAUGES = {"broker", "partition", "jvm_start_ms", "app_start_ms"}


def counters(sweep: Sweep, broker: int) -> list[Row]:
    """The rows of a broker that hold counters."""
    return [
        row for table in ("broker_metrics", "requests", "broker_topics") for row in sweep.rows(table, broker=broker)
    ]


def from_zero(later: Sweep, earlier: Sweep, broker: int) -> None:
    """Let the broker's counters have begun at 0 at the earlier sweep."""
    keys = ("request", "version", "topic")
    known = {tuple(row.get(key) for key in keys): row for row in counters(earlier, broker)}
    for row in counters(later, broker):
        before = known.get(tuple(row.get(key) for key in keys), {})
        for name, value in row.items():
            if isinstance(value, int) and name not in GAUGES:
                row[name] = max(0, value - (before.get(name) or 0))


def counter_reset(sweeps: list[Sweep]) -> None:
    """Counters fall although the process is the same."""
    from_zero(sweeps[4], sweeps[2], 2)
    from_zero(sweeps[3], sweeps[2], 2)


def restart(sweeps: list[Sweep]) -> None:
    """Broker 2 is a new process from sweep 3 on, its counters begin at 0."""
    counter_reset(sweeps)
    began = round((sweeps[2].at + (sweeps[3].at - sweeps[2].at) / 2).timestamp() * 1000)
    for one in sweeps[3:]:
        for row in one.rows("broker_metrics", broker=2):
            row |= {"jvm_start_ms": began, "app_start_ms": began + 900}


def log_end_back(sweeps: list[Sweep]) -> None:
    """The leader's log ends before where it ended a sweep ago, as after an unclean election."""
    for row in sweeps[3].rows("partitions", topic="orders", broker=1):
        row["log_end_offset"] = sweeps[2].rows("partitions", topic="orders", broker=1)[0]["log_end_offset"] - 5


def recreated(sweeps: list[Sweep]) -> None:
    """The topic is another one of the same name from sweep 3 on; its log may well be longer than the old one's."""
    for row in (row for one in sweeps[3:] for row in one.rows("topics", topic="orders")):
        row["topic_id"] = "AAAAAAAAAAAAAAAAAAAAAA"


def read_at_once(sweeps: list[Sweep], seconds: float = 0) -> None:
    """Broker 2 was read at sweep 3 at the same moment as at sweep 2, or before it: the collector's clock was set."""
    moment = sweeps[2].rows("brokers", broker=2)[0]["read_at"] - timedelta(seconds=seconds)
    for row in (row for rows in sweeps[3].tables.values() for row in rows if row.get("broker") == 2):
        if row.get("read_at"):
            row["read_at"] = moment


def collector_clock(sweeps: list[Sweep], seconds: int) -> None:
    """The collector's clock was set by some seconds between sweeps 2 and 3, and stays so; brokers' clocks were not."""
    by = timedelta(seconds=seconds)
    for one in sweeps[3:]:
        one.at += by
        for row in (row for rows in one.tables.values() for row in rows):
            row |= {name: value + by for name, value in row.items() if isinstance(value, datetime)}
        for row in one.rows("brokers"):
            row["agent_clock_skew_s"] -= seconds


def broker_clock(sweeps: list[Sweep], seconds: int) -> None:
    """Broker 2 starts again, as in `restart`, and its clock is off by some seconds all day."""
    restart(sweeps)
    for one in sweeps:
        for row in one.rows("broker_metrics", broker=2):
            row |= {name: row[name] + 1000 * seconds for name in ("jvm_start_ms", "app_start_ms")}
        one.rows("brokers", broker=2)[0]["agent_clock_skew_s"] += seconds


def last_only(sweeps: list[Sweep], days_up: int = 0) -> list[Sweep]:
    """A single sweep, of brokers that have been up for some days more."""
    for row in sweeps[4].rows("broker_metrics"):
        row["jvm_start_ms"] -= days_up * 86_400_000
        row["app_start_ms"] -= days_up * 86_400_000
    return sweeps[4:]


def broker_missing(sweeps: list[Sweep]) -> None:
    """The Jolokia agent of broker 2 never answered."""
    for one in sweeps:
        for table, rows in one.tables.items():
            if table not in NOT_JOLOKIA:
                one.tables[table] = [row for row in rows if row.get("broker") != 2]
        for row in one.rows("brokers", broker=2):
            row |= {"read_at": None, "outcome": "failed", "kind": "refused", "detail": "connection refused"}


def admin_failed(sweeps: list[Sweep]) -> None:
    """The Kafka admin protocol never answered; the brokers are known from the fleet file."""
    for one in sweeps:
        for table in (*ADMIN, "group_offsets"):
            one.tables.pop(table, None)
        one.tables["sweeps"][0] |= {
            "kafka_cluster_id": None, "controller": None, "admin_outcome": "failed",
            "admin_detail": "NoBrokersAvailable", "admin_missing": [*ADMIN, "group_offsets"],
        }  # fmt: skip
        for row in one.rows("brokers"):
            row |= {"host": None, "port": None, "rack": None}


def across_midnight(sweeps: list[Sweep]) -> None:
    """The day of the recording began between sweeps 2 and 3."""
    midnight = datetime.fromisoformat(recorded_day()).replace(tzinfo=UTC)
    by = midnight - (sweeps[2].at + (sweeps[3].at - sweeps[2].at) / 2)
    for one in sweeps:
        one.move(by)


def shuffled(sweeps: list[Sweep]) -> None:
    """The same rows in another order."""
    for one in sweeps:
        one.tables = {table: rows[::-1] for table, rows in reversed(one.tables.items())}


def every_mutation() -> dict[str, list[Sweep]]:
    """Cluster id -> its sweeps."""
    changes = {
        "reset": counter_reset,
        "restart": restart,
        "log-end-back": log_end_back,
        "recreated": recreated,
        "no-time": read_at_once,
        "clock-back": partial(read_at_once, seconds=30),
        "clock-set-forward": partial(collector_clock, seconds=600),
        "clock-set-back": partial(collector_clock, seconds=-10),  # a sweep is 15 s after the one before
        "broker-ahead": partial(broker_clock, seconds=600),
        "broker-behind": partial(broker_clock, seconds=-600),
        "single-old": partial(last_only, days_up=30),
        "single-young": last_only,
        "broker-missing": broker_missing,
        "admin-failed": admin_failed,
        "midnight": across_midnight,
        "shuffled": shuffled,
        "halved": lambda sweeps: None,
        "damaged": lambda sweeps: None,
    }
    return {name: changed("follower331", name, change) for name, change in changes.items()}
