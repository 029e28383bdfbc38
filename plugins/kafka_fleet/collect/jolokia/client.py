"""One broker over Jolokia: takes its URL, gives rows of raw tables and one outcome.

Two bulk POSTs of reads per sweep: per-partition gauges, then broker-level beans; and where these tell of threads that
wait for each other for ever, one that asks for their stacks. HTTP 200 proves nothing here: the
agent answers errors, and its own cut-offs, with status 200, so every entry of the answer is judged by itself.
"""

import math
import re
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from kafka_fleet.collect.connections.certificates import Certificates
from kafka_fleet.collect.connections.http import Endpoint, Failure, Limits
from kafka_fleet.collect.jolokia import columns, deadlocks
from kafka_fleet.collect.jolokia.bulks import QUERY, bulks
from kafka_fleet.collect.jolokia.responses import status_of
from kafka_fleet.collect.jolokia.rows import TWICE, Rows
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

NEEDED = ("log_end_offset", "replicas_count")  # without a pace and a leader's mark, replicas tell of no rate at all

APP_INFO = "kafka.server:type=app-info,id=*"


class BrokerSweep(NamedTuple):
    """What one sweep got from one broker. outcome: ok, partial, truncated or failed; kind: why it failed.

    node_ids: of the Kafka processes that the agent says it is in; empty where it does not say. deadlocked: rows of
    threads that wait for each other.
    """

    outcome: str
    kind: str | None
    detail: str | None
    read_at: datetime | None
    seconds: float
    bytes: int
    rows: Rows
    missing: list[str]
    agent_clock_skew_s: float | None
    node_ids: frozenset[int] = frozenset()
    deadlocked: tuple[dict[str, Any], ...] = ()


def _take(beans: list[Bean], answers: list[Any], rows: Rows, missing: list[str], faults: list[str]) -> float | None:
    clock: float | None = None
    for bean, answer in zip(beans, answers, strict=True):
        status, value = answer.get("status"), answer.get("value")
        stamp = answer.get("timestamp")
        if isinstance(stamp, int | float) and 0 <= stamp < 2**63 and math.isfinite(stamp):
            clock = float(stamp)
        if bean.operation is not None:
            missing += _called(bean, answer, rows)
        elif status == 404:
            if not rows.add_absent(bean):
                missing.append(bean.mbean)
        elif status != 200:
            faults.append(f"{bean.mbean}: Jolokia status {status_of(answer)}")
            rows.incomplete |= bean.table == "partitions"
        elif isinstance(value, columns.Part):
            rows.add_part(value)
        elif isinstance(value, dict):
            rows.add(bean, value)
        elif value is TWICE:
            rows.unusable += 1
        else:
            rows.truncated += 1  # maxDepth and maxObjects put text where the values belong
    return clock


def _called(bean: Bean, answer: dict[str, Any], rows: Rows) -> list[str]:
    """Take the ids that an operation gave. What is missing: a policy that refuses it costs this one reading alone."""
    value, status = answer.get("value", TWICE), answer.get("status")
    ids = deadlocks.usable_ids(value) if status == 200 and value is not TWICE else None
    if ids is None:
        rows.unusable += status == 200
        return [f"{bean.mbean} {bean.operation}()"]
    rows.take(bean, {}, {bean.columns[0].attribute: len(ids)})
    rows.deadlocked = ids
    return []


def _deadlocked(endpoint: Endpoint, rows: Rows, missing: list[str]) -> tuple[dict[str, Any], ...]:
    """Rows of the threads that wait for each other: a request of its own, where there are any."""
    found = deadlocks.thread_rows(endpoint, rows.deadlocked, QUERY) if rows.deadlocked else []
    if found is None:
        missing.append(f"{mbeans.THREADING} getThreadInfo()")
    return tuple(found or ())


def _node_ids(beans: list[Bean], answers: list[Any]) -> frozenset[int]:
    """The ids in the names of app-info, as ASCII digits."""
    names = [
        name
        for bean, answer in zip(beans, answers, strict=True)
        if bean.mbean == APP_INFO and isinstance(answer.get("value"), dict)
        for name in answer["value"]
    ]
    return frozenset(int(found[1]) for name in names if (found := re.search(r"[:,]id=([0-9]{1,10})(?:,|$)", str(name))))


def _replicas(rows: Rows) -> int:
    """Replicas that every pattern answered for: a limit of the agent cuts each pattern's entries by itself."""
    counts = (rows.count("partitions", name) for name in mbeans.tables()["partitions"].columns)
    return min((count for count in counts if count), default=0)  # a pattern that was refused is a fault of its own


def read_outcome(rows: Rows, faults: list[str]) -> tuple[str, str | None]:
    """ok, partial or truncated: text for values, fewer replicas than the broker itself counts, or a column of none."""
    if rows.incomplete:
        return "truncated", "; ".join(faults[:3])
    if rows.truncated:
        return "truncated", f"{rows.truncated} values were cut off by the agent's limits"
    broker = next(iter(rows.by_table["broker_metrics"].values()), {})
    counted, offline = broker.get("partition_count"), broker.get("offline_replicas")
    if isinstance(counted, int) and isinstance(offline, int):
        counted -= offline  # replicas of a failed log directory are counted and have no beans
    seen = _replicas(rows)
    # replicas may come and go between the two reads; a silent maxCollectionSize cut takes far more than these
    if isinstance(counted, int) and seen < counted - max(5, counted // 50):
        return "truncated", f"{seen} replicas read, the broker counts {counted}"
    if faults or rows.unusable:
        return "partial", "; ".join(faults[:3]) or f"{rows.unusable} values were not usable"
    return "ok", None


def sweep_broker(
    url: str,
    credentials: Credentials,
    limits: Limits,
    ready: Callable[[], object] = lambda: None,
    certificates: Certificates | None = None,
) -> BrokerSweep:
    """Both bulk reads of one broker. Never raises for what the far side does: the outcome says it.

    ready: waits until the second bulk may be asked for, which counts the connections of the broker's clients.
    certificates: takes what the agent shows.
    """
    rows, missing, faults = Rows(), [], []  # type: ignore[var-annotated]
    started, failures = time.monotonic(), []
    middle: datetime | None = None
    clock: float | None = None
    ids: frozenset[int] = frozenset()
    with Endpoint(url, credentials, limits, certificates) as endpoint:
        for one, answers in bulks(endpoint, ready):
            if isinstance(answers, Failure):
                failures.append(answers)
                rows.incomplete |= one.beans[0].request == mbeans.PARTITIONS
                if answers.kind in ("auth", "redirect", "forbidden", "dns", "unreachable", "tls"):
                    break
                continue
            middle = one.middle
            clock = _take(one.beans, answers, rows, missing, faults)
            ids |= _node_ids(one.beans, answers)
        deadlocked = _deadlocked(endpoint, rows, missing)
        read = endpoint.bytes
    seconds = time.monotonic() - started
    skew = clock - middle.timestamp() if clock is not None and middle is not None else None
    if middle is None:
        first = failures[0]
        return BrokerSweep("failed", first.kind, first.detail, None, seconds, read, Rows(), [], None)
    broker = next(iter(rows.by_table["broker_metrics"].values()), {})
    if not rows.has("partitions") and not broker.keys() & {"release", "broker_state"}:
        detail = faults[0] if faults else "none of the wanted MBeans is there; is this a Kafka broker?"
        kind, detail = (failures[0].kind, failures[0].detail) if failures else ("protocol", detail)
        return BrokerSweep("failed", kind, detail, None, seconds, read, Rows(), [], None)
    outcome, detail = read_outcome(rows, faults)
    absent = [mbeans.mbean_of("partitions", name) for name in NEEDED if not rows.count("partitions", name)]
    held = broker.get("partition_count") != 0  # a broker without partitions has the log of KRaft's metadata alone
    if outcome != "truncated" and rows.has("partitions") and held and absent:
        outcome, detail = "truncated", "; ".join(f"no replica has {mbean}" for mbean in absent)
    if failures:  # without its partitions a broker is not whole in what most signatures need
        outcome, detail = "truncated" if rows.incomplete else "partial", str(failures[0])
    return BrokerSweep(
        outcome, failures[0].kind if failures else None, detail, middle, seconds, read, rows, missing, skew, ids,
        deadlocked,
    )  # fmt: skip
