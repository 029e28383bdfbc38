"""Threads that wait for each other: read where the JVM finds some, bounded, and with nothing of other people's code."""

import pytest

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.jolokia.client import BrokerSweep, sweep_broker
from kafka_fleet.collect.jolokia.deadlocks import KEPT_FRAMES, MOST_FRAME, MOST_NAME, MOST_THREADS, rows_of, usable_ids
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.schema.mbeans import THREAD_INFO, THREADING
from support.servers.jolokia_simulator import Agent, Json, agent

REFUSED = {"status": 403, "error": "java.lang.Exception : No access"}


def frame(where: str) -> Json:
    name, _dot, method = where.rpartition(".")
    return {"className": name, "methodName": method, "fileName": "A.scala", "lineNumber": 7}


def thread(number: int, owner: int, *frames: str, name: str = "data-plane-kafka-request-handler-0") -> Json:
    lock = {"className": "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync", "identityHashCode": 1}
    stack = [frame(one) for one in frames]
    return {"threadId": number, "lockOwnerId": owner, "threadName": name, "lockInfo": lock, "stackTrace": stack}


TWO = [
    thread(51, 48, "jdk.internal.misc.Unsafe.park", "kafka.server.ClientRequestQuotaManager.exemptSensor"),
    thread(48, 51, "kafka.server.ClientQuotaManager.logger", "com.example.Secret.tell", name="EventHandler"),
]


def sweep(one: Agent) -> BrokerSweep:
    with agent(one):
        return sweep_broker(one.url, Credentials(), Limits())


def counted(found: BrokerSweep) -> object:
    return found.rows.by_table["broker_metrics"][()].get("deadlocked_threads")


def test_without_a_deadlock_nothing_more_is_asked() -> None:
    one = Agent()
    found = sweep(one)
    assert (found.outcome, counted(found), found.deadlocked, len(one.seen)) == ("ok", 0, (), 2)


def test_threads_of_a_deadlock_are_asked_for_by_their_ids_alone_and_to_a_depth() -> None:
    one = Agent()
    one.threads = TWO
    found = sweep(one)
    assert (found.outcome, counted(found), found.missing) == ("ok", 2, [])
    (asked,) = one.seen[2][2]
    assert (asked["type"], asked["mbean"], asked["operation"]) == ("exec", THREADING, THREAD_INFO)
    assert asked["arguments"] == [[48, 51], 64]
    taking, handler = found.deadlocked
    assert (taking["thread"], handler["thread"]) == ("EventHandler", "data-plane-kafka-request-handler-0")
    assert taking["cycle"] == handler["cycle"] == 0
    assert handler["frames"] == ["jdk.internal.misc.Unsafe.park", "kafka.server.ClientRequestQuotaManager.exemptSensor"]
    assert taking["frames"] == ["kafka.server.ClientQuotaManager.logger"], "nobody else's class is kept"
    assert handler["waits_for"] == "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync"


@pytest.mark.fault(80)
@pytest.mark.parametrize("operation", ["findDeadlockedThreads", "getThreadInfo"])
def test_a_policy_that_refuses_it_costs_this_reading_alone_and_is_said(operation: str) -> None:
    one = Agent()
    one.threads = TWO
    calls: list[Json] = []

    def entry(mbean: str, given: Json) -> Json:
        calls.extend([given] if mbean == THREADING else [])
        return REFUSED if mbean == THREADING and (operation == "findDeadlockedThreads" or len(calls) > 1) else given

    one.entry = entry
    found = sweep(one)
    assert (found.outcome, found.detail, found.deadlocked) == ("ok", None, ())
    assert found.missing == [f"{THREADING} {operation}()"]
    assert counted(found) == (None if operation == "findDeadlockedThreads" else 2)


@pytest.mark.fault(80)
@pytest.mark.parametrize("value", [7, "two", {"a": 1}, [[1]], [True], ["1"], [0], [-1], [2**63], [1.5], [None]])
def test_ids_that_are_none_are_no_reading(value: object) -> None:
    assert usable_ids(value) is None


@pytest.mark.fault(80)
@pytest.mark.parametrize("body", [{}, [], [7], [[]], [{"status": 200}], [{"status": 200, "value": 7}], [[7] * 70_000]])
def test_an_answer_about_threads_that_is_none_is_said_and_costs_nothing_else(body: object) -> None:
    one = Agent()
    one.threads = TWO
    one.body = lambda answers: body if len(answers) == 1 else answers
    found = sweep(one)
    assert (found.outcome, found.deadlocked, found.missing) == ("ok", (), [f"{THREADING} getThreadInfo()"])


@pytest.mark.parametrize("given", [{}, {"value": [51, 52.5]}, {"value": {"findDeadlockedThreads()": 12}}])
def test_an_answer_without_ids_says_nothing_of_deadlocks(given: Json) -> None:
    one = Agent()
    one.entry = lambda mbean, whole: {"status": 200, **given} if mbean == THREADING else whole
    found = sweep(one)
    assert (found.outcome, counted(found)) == ("partial", None)
    assert found.missing == [f"{THREADING} findDeadlockedThreads()"]


@pytest.mark.fault(80)
def test_what_is_kept_is_bounded_and_plain() -> None:
    deep = [f"kafka.a.B.m{number}" for number in range(500)]
    many = [thread(number, number % 40 + 1, *deep, name="x\x1b[31m\u202e" + "y" * 999) for number in range(1, 41)]
    one = Agent()
    one.threads = many
    found = sweep(one)
    assert counted(found) == 40
    assert len(found.deadlocked) == MOST_THREADS
    assert {row["cycle"] for row in found.deadlocked} == {None}, "of a circle that is not told whole none is known"
    assert all(len(row["frames"]) == KEPT_FRAMES for row in found.deadlocked)
    assert all(len(row["thread"]) == MOST_NAME and row["thread"].isascii() for row in found.deadlocked)
    assert all(row["thread"].isprintable() for row in found.deadlocked)


@pytest.mark.fault(80)
@pytest.mark.parametrize(
    "where",
    ["kafka.a.B$$Lambda$930/0x00007fa9a54484c8.accept", "kafka.a.B.<b>", "kafka.a b.C.m",
     "kafka." + "a" * MOST_FRAME + ".m", "com.example.Vault.password=hunter2", "kafka.a.B.m(secret)",
     "kafkaesque.a.B.m"],
)  # fmt: skip
def test_a_frame_that_is_no_name_of_kafka_scala_or_java_is_not_kept(where: str) -> None:
    (row,) = rows_of([thread(1, 2, where)])
    assert row["frames"] == (["kafka.a.B.<b>"] if where == "kafka.a.B.<b>" else [])


@pytest.mark.fault(80)
def test_threads_that_cannot_be_read_are_left_out() -> None:
    assert rows_of([None, 7, {}, {"threadId": "1"}, {"threadId": True}]) == []
    (row,) = rows_of([{"threadId": 1, "lockOwnerId": [1], "lockInfo": 7, "stackTrace": {"className": "kafka.A"}}])
    assert row == {"cycle": None, "thread": "", "waits_for": None, "frames": []}


def test_circles_are_told_apart_and_who_waits_for_one_is_in_none() -> None:
    rows = rows_of([thread(1, 2), thread(2, 1), thread(3, 4), thread(4, 5), thread(5, 3), thread(6, 1), thread(7, 7)])
    assert [row["cycle"] for row in rows] == [0, 0, 1, 1, 1, None, 2]
