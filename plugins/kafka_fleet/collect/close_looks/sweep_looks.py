"""The close looks of one sweep: takes what its brokers answered, gives the rows of `looks` and `look_reads`.

Checks ask for them by data (knowledge/close_looks.py). They run beside the sweep's other work and each other, within
bounds; whoever a bound leaves out has a row that says so, and its turn in a later sweep.
"""

import logging
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

import pyarrow as pa

from kafka_fleet.collect.close_looks.broker_look import Looked, Place, Plan, look_at
from kafka_fleet.collect.close_looks.leader_reads import Leaders
from kafka_fleet.collect.close_looks.selection import SPARE_S, Suspect, select_looks
from kafka_fleet.collect.close_looks.suspicion import columns_before, rates_since, read_topics, suspicion_reason
from kafka_fleet.collect.close_looks.sweep_context import Sweeping
from kafka_fleet.collect.jolokia.client import BrokerSweep
from kafka_fleet.config.credentials import CredentialsError, kafka_settings
from kafka_fleet.knowledge.close_looks import FROM_LEADERS, Look, asked_looks
from kafka_fleet.schema.arrow import Item
from kafka_fleet.store.raw.landing import Around, Before
from kafka_fleet.store.raw.look_history import rows_before

PARTITIONS = 64  # of a look
PATIENCE_S = 30.0  # of a sweep, that its brokers have until it is decided at whom to look
AT_ONCE = 8  # looks of this process
NO_AGENT = "not looked at: it is read by a metrics endpoint, and single values are had of a Jolokia agent alone"
TURN_S = 20.0  # that a look waits for those of other clusters

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,255}")  # as Kafka allows: it becomes part of an MBean's name
log = logging.getLogger(__name__)
_turns = BoundedSemaphore(AT_ONCE)
Row = dict[str, Any]


class _Stored:
    """Rows of the sweep before, each table read once and for the brokers that are asked for."""

    def __init__(self, home: Path, before: Before | None, columns: Mapping[str, set[str]], brokers: list[int]) -> None:
        self._home, self._before = home, before
        self._columns, self._brokers = columns, brokers
        self._tables: dict[str, dict[int, list[Row]]] = {}

    def of(self, broker: int) -> Callable[[str], list[Row]]:
        """The rows of one broker, by table."""

        def rows(table: str) -> list[Row]:
            if self._before is None:
                return []
            if table not in self._tables:
                columns = self._columns[table]
                self._tables[table] = rows_before(self._home, self._before, table, columns, self._brokers)
            return self._tables[table].get(broker, [])

        return rows


def take_looks(
    sweep: Sweeping,
    swept: Mapping[int, Future[BrokerSweep]],
    urls: Mapping[int, str | None],
    topics: list[Row],
    around: Future[Around],
) -> dict[str, list[Item]]:
    """The rows of all looks of a sweep. topics: rows of the raw table, as Metadata has them. around: what is stored.

    A fault of this program's own, too, costs the looks and nothing else of the sweep: each of them is a failed row.
    """
    try:
        return _looked(sweep, swept, urls, topics, around)
    except Exception as error:
        log.exception("%s: no close look is made", sweep.cluster.id)
        lost = {"outcome": "failed", "detail": f"{type(error).__name__}: a fault of this program", "slots": 0}
        reason = "whether one is wanted was not found out"
        names = [(broker, signature) for broker in sorted(swept) for signature in asked_looks()]
        return {"looks": [{"broker": b, "signature": name, "reason": reason, **lost} for b, name in names]}


def _looked(
    sweep: Sweeping,
    swept: Mapping[int, Future[BrokerSweep]],
    urls: Mapping[int, str | None],
    topics: list[Row],
    around: Future[Around],
) -> dict[str, list[Item]]:
    looks = asked_looks()
    most = sweep.cluster.looks.brokers
    if not looks or not most:
        return {}
    done = wait(swept.values(), max(0.0, sweep.begun + PATIENCE_S - time.monotonic())).done
    answered = {b: one.result() for b, one in swept.items() if one in done and one.result().outcome != "failed"}
    stored = _Stored(sweep.home, around.result().before, _merged(looks), list(answered))
    suspects = list(_suspects(looks, answered, stored))
    if not suspects:
        return {}
    if sweep.cluster.jolokia is None:
        return {"looks": [one.row("skipped", NO_AGENT) for one in suspects]}
    now, rows = select_looks(sweep, suspects, most)
    plans = []
    for one in now:
        read = read_topics(answered[one.broker], one.span, stored.of(one.broker))
        plans.append(_plan(one, urls[one.broker] or "", read, topics, sweep.cluster.looks.seconds))
    return _run(sweep, now, plans, rows)


def _merged(looks: Mapping[str, Look]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for look in looks.values():
        for table, columns in columns_before(look).items():
            found.setdefault(table, set()).update(columns)
    return found


def _suspects(looks: Mapping[str, Look], answered: Mapping[int, BrokerSweep], stored: _Stored) -> "list[Suspect]":
    found = []
    for broker, one in sorted(answered.items()):
        span = rates_since(one, stored.of(broker))
        for signature, look in looks.items() if span is not None else ():
            reason = suspicion_reason(look, one, span, stored.of(broker)) if span is not None else None
            if reason is not None and span is not None:
                found.append(Suspect(broker, signature, look, reason, span))
    return found


def _plan(one: Suspect, url: str, read: list[str], topics: list[Row], seconds: int | None) -> Plan:
    """What is read of a broker: its replicas of the topics that are read there, the busiest topics first.

    Before them come those that it leads nothing of: what is read from a follower is seldom what is read most.
    """
    own: dict[str, list[Row]] = {topic: [] for topic in read if _TOPIC.fullmatch(topic)}
    for row in topics:
        if row["topic"] in own and one.broker in row["replicas"]:
            own[row["topic"]].append(row)
    parts = sorted(own.values(), key=lambda rows: any(row["leader"] == one.broker for row in rows))
    every = [row for rows in parts for row in sorted(rows, key=lambda row: row["partition"])]
    taken = every[:PARTITIONS]
    places = [(row["topic"], row["partition"]) for row in taken]
    leaders: dict[int, list[Place]] = {}
    for row in taken:
        if row["leader"] is not None:
            leaders.setdefault(row["leader"], []).append((row["topic"], row["partition"]))
    look = one.look
    if seconds is not None:
        look = look.model_copy(update={"seconds": look.seconds.model_copy(update={"value": float(seconds)})})
    names = list(dict.fromkeys(topic for topic, _partition in places))
    left_out = len(every) - len(taken)
    return Plan(one.broker, one.signature, look, one.reason, url, names, places, leaders, left_out)


def _run(sweep: Sweeping, now: list[Suspect], plans: list[Plan], skipped: list[Row]) -> dict[str, list[Item]]:
    looks: list[Item] = []
    reads: list[Item] = []
    leaders, fault = _leaders(sweep, plans)
    try:
        with ThreadPoolExecutor(max(1, len(plans))) as pool:
            found = list(pool.map(lambda plan: _one(sweep, plan, leaders), plans))
    finally:
        if leaders is not None:
            leaders.close()
    for one, got in zip(now, found, strict=True):
        if isinstance(got, str):
            looks.append(one.row("skipped", got))
            continue
        outcome = "partial" if fault and got.outcome == "ok" else got.outcome
        detail = "; ".join(part for part in (got.detail, fault) if part) or None
        about = {"started_at": got.started_at, "seconds": got.seconds, "slots": got.slots}
        looks.append(one.row(outcome, detail, **about))
        reads += [_named(table, one) for table in got.tables if table.num_rows]
    return {"looks": [*looks, *skipped], "look_reads": reads}


def _leaders(sweep: Sweeping, plans: list[Plan]) -> tuple[Leaders | None, str | None]:
    """Connections to the leaders, where any look wants something of them; why there are none."""
    if not any(plan.leaders and set(FROM_LEADERS) & set(plan.look.partitions) for plan in plans):
        return None, None
    try:
        settings = kafka_settings(sweep.cluster.kafka_connection, sweep.resolver)
    except CredentialsError as error:
        return None, str(error)
    return Leaders(list(sweep.cluster.bootstrap_servers), settings), None


def _one(sweep: Sweeping, plan: Plan, leaders: Leaders | None) -> Looked | str:
    """One look, or why it was not made."""
    if not _turns.acquire(timeout=max(0.0, min(TURN_S, sweep.end - SPARE_S - time.monotonic()))):
        return f"not looked at: {AT_ONCE} looks at other clusters' brokers were under way"
    try:
        wanted = leaders if plan.leaders and set(FROM_LEADERS) & set(plan.look.partitions) else None
        return look_at(plan, sweep.credentials, sweep.limits, wanted)
    except Exception as error:
        log.exception("%s: a close look at broker %d failed", sweep.cluster.id, plan.broker)
        return Looked("failed", f"{type(error).__name__}: a fault of this program", sweep.started, 0.0, 0, [])
    finally:
        _turns.release()


def _named(table: pa.Table, one: Suspect) -> pa.Table:
    for name, value, kind in (("broker", one.broker, pa.int32()), ("signature", one.signature, pa.string())):
        table = table.append_column(name, pa.repeat(pa.scalar(value, kind), table.num_rows))
    return table
