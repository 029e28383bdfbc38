"""One close look: takes what is to be read of one broker, gives rows of `look_reads` and how it went.

Agent and leaders are read side by side, each on connections of its own that stay open. A reading has its moment, a
slot; one whose moment has passed while the reading before it took its time is left out, so that no delay adds up.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from kafka_fleet.collect.connections.http import Endpoint, Failure, Limits
from kafka_fleet.collect.jolokia.bulks import QUERY
from kafka_fleet.collect.jolokia.responses import decode
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.knowledge.close_looks import FROM_LEADERS, Look, look_source
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

READ_S = 2.0  # for one reading: an agent or a leader that takes longer is of no use to a look
GIVEN_UP = 3  # readings in a row that failed
FATAL = ("auth", "redirect", "forbidden", "dns", "unreachable", "tls", "too_large")
MOST_BYTES = 8 * 2**20  # of all answers of an agent: sixty readings of some 15 KB are one
MOST = 2**58  # of a number, as the column's bound
WHOLE = 0.9  # share of the readings that make a look whole

Place = tuple[str, int]  # topic and partition
Whole = tuple[str | None, None]  # a topic, or the broker


class Plan(NamedTuple):
    """What is to be read of a broker. leaders: of the places, by broker. left_out: partitions there was no room for."""

    broker: int
    signature: str
    look: Look
    reason: str
    url: str
    topics: list[str]
    places: list[Place]
    leaders: dict[int, list[Place]]
    left_out: int

    @property
    def slot_s(self) -> float:
        """Time from one reading to the next."""
        return self.look.slot_ms.value / 1000

    @property
    def slots(self) -> int:
        """Readings in all."""
        return max(1, int(self.look.seconds.value / self.slot_s))


class Taken:
    """Readings of one look as they come, in columns. begun: monotonic, the look's own zero."""

    def __init__(self, begun: float, slot_s: float) -> None:
        self.begun, self.slot_s = begun, slot_s
        self.columns: dict[str, list[Any]] = {name: [] for name in TYPES.names}

    def wait(self, slot: int) -> float | None:
        """Seconds until a reading is due; None where its moment has passed."""
        early = self.begun + slot * self.slot_s - time.monotonic()
        return max(early, 0.0) if early > -self.slot_s else None

    def add(self, slot: int, sent: float, back: float, name: str, place: Place | Whole, v: int | None) -> None:
        """One number. sent, back: monotonic."""
        value = v if v is not None and -1 <= v <= MOST else None
        offset, spent = round(((sent + back) / 2 - self.begun) * 1000), round((back - sent) * 1000)
        row = (slot, max(offset, 0), max(spent, 0), name, *place, value)
        for column, one in zip(self.columns.values(), row, strict=True):
            column.append(one)

    def table(self) -> pa.Table:
        """The columns of `look_reads` but for those that are the same in all rows."""
        return pa.table(self.columns, schema=TYPES)


TYPES = pa.schema(
    [("slot", pa.int32()), ("offset_ms", pa.int64()), ("spent_ms", pa.int64()), ("metric", pa.string()),
     ("topic", pa.string()), ("partition", pa.int32()), ("value", pa.int64())]
)  # fmt: skip


class FromLeaders(Protocol):
    """What reads the partitions' leaders."""

    def connect(self, plan: Plan) -> None:
        """Ask each leader once, so that no reading has to wait for a connection."""

    def read(self, plan: Plan, taken: Taken) -> list[str]:
        """Take all readings of a look; gives a sentence for each thing that it lacks."""


class Looked(NamedTuple):
    """How a look went, and its readings."""

    outcome: str
    detail: str | None
    started_at: datetime
    seconds: float
    slots: int
    tables: list[pa.Table]


class _Cell(NamedTuple):
    bean: Bean
    column: str
    metric: str
    properties: dict[str, str]

    @property
    def place(self) -> Place | Whole:
        partition = self.properties.get("partition")
        return (self.properties["topic"], int(partition)) if partition else (self.properties.get("topic"), None)


class _Ask:
    """The one request of all readings."""

    def __init__(self, url: str, cells: list[_Cell]) -> None:
        self.url, self.cells = url, cells
        self.beans = [cell.bean for cell in cells]
        self.body = json.dumps([mbeans.read_request(bean) for bean in self.beans]).encode()


def _cells(plan: Plan) -> list[_Cell]:
    """Every number that the agent is asked for at each reading."""
    wanted: list[tuple[str, str, dict[str, str]]] = [(name, what, {}) for name, what in plan.look.broker.items()]
    wanted += [(name, what, {"topic": t}) for t in plan.topics for name, what in plan.look.topics.items()]
    for topic, partition in plan.places:
        about = {"topic": topic, "partition": str(partition)}
        wanted += [(n, f"partitions.{n}", about) for n in plan.look.partitions if n not in FROM_LEADERS]
    cells = []
    for name, what, properties in wanted:
        bean, column = look_source(what)
        mbean = bean.mbean
        for key, value in properties.items():
            mbean = mbean.replace(f"{key}=*", f"{key}={value}")
        cells.append(_Cell(bean._replace(mbean=mbean), column, name, properties))
    return cells


def _value(cell: _Cell, answer: dict[str, Any]) -> int | None:
    """The number in one entry of a bulk; of a pattern the sum."""
    rows, value = Rows(), answer.get("value")
    if answer.get("status") == 404:
        rows.add_absent(cell.bean)
    elif answer.get("status") == 200 and isinstance(value, dict):
        if cell.properties:
            rows.take(cell.bean, cell.properties, value)
        else:
            rows.add(cell.bean, value)
    found = [row.get(cell.column) for row in rows.by_table[cell.bean.table].values()]
    if not found or rows.unusable or rows.truncated:
        return None
    known = [int(one) for one in found if isinstance(one, int | float) and one == int(one)]
    return sum(known) if len(known) == len(found) else None


def _from_agent(plan: Plan, endpoint: Endpoint, taken: Taken, ask: _Ask, faults: list[str]) -> int:
    """Readings that the agent answered."""
    done = failed = 0
    for slot in range(plan.slots):
        early = taken.wait(slot)
        if early is None:
            continue
        time.sleep(early)
        sent = time.monotonic()
        try:
            answer = endpoint.send("POST", ask.url, ask.body)
            back = time.monotonic()
            values = [_value(*one) for one in zip(ask.cells, decode(answer, ask.beans), strict=True)]
        except Failure as failure:
            faults[:] = faults or [f"its agent: {failure}"]
            failed += 1
            if failed == GIVEN_UP or failure.kind in FATAL:
                break
            continue
        done, failed = done + 1, 0
        for cell, value in zip(ask.cells, values, strict=True):
            taken.add(slot, sent, back, cell.metric, cell.place, value)
    return done


def look_at(plan: Plan, credentials: Credentials, limits: Limits, from_leaders: FromLeaders | None) -> Looked:
    """Read a broker densely. Never raises for what the far side does: the outcome says it.

    from_leaders: None where nothing of leaders is wanted. A first answer of each, which sets up the connections, is
    not among the readings.
    """
    within = limits._replace(
        read_s=min(limits.read_s, READ_S),
        deadline_s=min(limits.deadline_s, plan.slots * plan.slot_s + 3 * READ_S),
        max_bytes=min(limits.max_bytes, MOST_BYTES),
    )
    cells = _cells(plan)
    ask = _Ask(plan.url.rstrip("/") + "/" + QUERY, cells)
    if from_leaders is not None:
        from_leaders.connect(plan)
    with Endpoint(plan.url, credentials, within) as endpoint, ThreadPoolExecutor(1) as aside:
        started = datetime.now(UTC)
        try:
            endpoint.send("POST", ask.url, ask.body)
        except Failure as failure:
            return Looked("failed", f"its agent: {failure}", started, 0.0, 0, [])
        started, begun = datetime.now(UTC), time.monotonic()
        agent, leaders = Taken(begun, plan.slot_s), Taken(begun, plan.slot_s)
        faults: list[str] = []
        lacks = aside.submit(from_leaders.read, plan, leaders) if from_leaders is not None else None
        done = _from_agent(plan, endpoint, agent, ask, faults)
        lacking = lacks.result() if lacks is not None else []
    if plan.look.partitions and not plan.places:
        lacking = [*lacking, "no partition is known of what is read there"]
    seconds = time.monotonic() - begun
    short = [f"{done} of {plan.slots} readings were taken in time"] if done < WHOLE * plan.slots else []
    outcome = "failed" if not done else "partial" if short or lacking else "ok"
    left = [f"{plan.left_out:,} partitions of topics that are read there are left out"] if plan.left_out else []
    detail = "; ".join([*short, *faults, *lacking, *left]) or None
    return Looked(outcome, detail, started, seconds, done, [agent.table(), leaders.table()])
