"""One broker over Jolokia: takes its URL, gives rows of raw tables and one outcome.

Two bulk POSTs of reads per sweep: per-partition gauges, then broker-level beans. HTTP 200 proves nothing here: the
agent answers errors, and its own cut-offs, with status 200, so every entry of the answer is judged by itself.
"""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from kafka_fleet.collect.connections.certificates import Certificates
from kafka_fleet.collect.connections.http import Endpoint, Failure, Limits
from kafka_fleet.collect.jolokia import columns
from kafka_fleet.collect.jolokia.responses import decode, one_object, status_of
from kafka_fleet.collect.jolokia.rows import TWICE, Rows
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

QUERY = "?includeRequest=false&ignoreErrors=true&serializeException=false&includeStackTrace=false"
REQUESTS = 40  # of one sweep of one broker; an agent that refuses every bulk is given up there
# Worth one more try. Refusals are not, nor are timeouts: the other bulk is asked for all the same, and 5xx were tried
# twice by the endpoint.
RETRIED = frozenset({"cut_off", "dns"})
NEEDED = ("log_end_offset", "replicas_count")  # without a pace and a leader's mark, replicas tell of no rate at all

APP_INFO = "kafka.server:type=app-info,id=*"

Answers = Future[list[Any]]  # to one bulk: an entry per bean


class BrokerSweep(NamedTuple):
    """What one sweep got from one broker. outcome: ok, partial, truncated or failed; kind: why it failed.

    node_ids: of the Kafka processes that the agent says it is in; empty where it does not say.
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


def _send(endpoint: Endpoint, beans: list[Bean]) -> bytearray:
    body = json.dumps([mbeans.read_request(bean) for bean in beans]).encode()
    try:
        return endpoint.send("POST", endpoint.url.rstrip("/") + "/" + QUERY, body)
    except Failure as failure:
        if failure.status != 400:
            raise
        raise one_object(len(beans), "400") from None  # other agents say the same with HTTP 200 and one object


def _bulk(endpoint: Endpoint, beans: list[Bean], tried: Answers | None = None) -> list[Any]:
    """One answer per bean. tried: the first try, if it was made already."""
    for attempt in (1, 2):
        try:
            return tried.result() if tried and attempt == 1 else decode(_send(endpoint, beans), beans)
        except Failure as failure:
            if attempt == 2 or failure.kind not in RETRIED:
                spoiled = failure.kind == "protocol" and "one object" in failure.detail and len(beans) > 1
                if spoiled and endpoint.requests < REQUESTS:
                    break  # one name the agent will not parse spoils the whole bulk: halve it
                raise
    middle = len(beans) // 2
    found: list[Any] = []
    for half in (beans[:middle], beans[middle:]):
        try:
            found += _bulk(endpoint, half)
        except Failure as failure:
            if failure.kind != "protocol" or len(half) > 1:
                raise
            found.append({"status": 400, "error": failure.detail})
    return found


class _Try(NamedTuple):
    """One bulk asked for: the middle of its request, and its answers, which may still be taken apart."""

    beans: list[Bean]
    middle: datetime
    answers: Answers


def _try(endpoint: Endpoint, beans: list[Bean], aside: ThreadPoolExecutor) -> _Try:
    sent, begun = datetime.now(UTC), time.monotonic()
    answers = Answers()
    try:
        body = _send(endpoint, beans)
    except Failure as failure:
        answers.set_exception(failure)
        return _Try(beans, sent, answers)
    middle = _middle(sent, begun)
    answers = aside.submit(decode, body, beans)
    if len(body) <= columns.SMALL:  # it may be a refusal, after which nothing more is to be asked
        wait([answers])
    return _Try(beans, middle, answers)


def _settled(endpoint: Endpoint, one: _Try) -> tuple[_Try, list[Any] | Failure]:
    """What became of a bulk, tried again where that may help."""
    if one.answers.exception() is None:
        return one, one.answers.result()
    sent, begun = datetime.now(UTC), time.monotonic()
    try:
        answers = _bulk(endpoint, one.beans, one.answers)
    except Failure as failure:
        return one, failure
    return one._replace(middle=_middle(sent, begun)), answers


def _middle(sent: datetime, begun: float) -> datetime:
    """The middle of a request that ends now: a clock that is set meanwhile does not move it."""
    return sent + timedelta(seconds=(time.monotonic() - begun) / 2)


def _bulks(endpoint: Endpoint, ready: Callable[[], object]) -> Iterator[tuple[_Try, list[Any] | Failure]]:
    """Both bulks of a sweep, one request at a time; a large answer is taken apart while the next one is waited for."""
    tries: list[_Try] = []
    with ThreadPoolExecutor(1) as aside:
        for request in (mbeans.PARTITIONS, mbeans.BROKER):
            if request == mbeans.BROKER:
                ready()
            tries.append(_try(endpoint, mbeans.beans(request), aside))
            while tries and (tries[-1].answers.done() or request == mbeans.BROKER):
                yield _settled(endpoint, tries.pop(0))


def _take(beans: list[Bean], answers: list[Any], rows: Rows, missing: list[str], faults: list[str]) -> float | None:
    clock: float | None = None
    for bean, answer in zip(beans, answers, strict=True):
        status, value = answer.get("status"), answer.get("value")
        stamp = answer.get("timestamp")
        if isinstance(stamp, int | float) and 0 <= stamp < 2**63 and math.isfinite(stamp):
            clock = float(stamp)
        if status == 404:
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
        for one, answers in _bulks(endpoint, ready):
            if isinstance(answers, Failure):
                failures.append(answers)
                rows.incomplete |= one.beans[0].request == mbeans.PARTITIONS
                if answers.kind in ("auth", "redirect", "forbidden", "dns", "unreachable", "tls"):
                    break
                continue
            middle = one.middle
            clock = _take(one.beans, answers, rows, missing, faults)
            ids |= _node_ids(one.beans, answers)
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
        outcome, failures[0].kind if failures else None, detail, middle, seconds, read, rows, missing, skew, ids
    )
