"""Transactions of a sweep: who is asked on a quiet cluster, what becomes rows, and what a refusal costs."""

import time
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import errors

from kafka_fleet.collect.admin import open_transactions, transaction_sweep
from kafka_fleet.collect.admin.client import _Reader
from kafka_fleet.collect.admin.transaction_sweep import COORDINATORS, OPEN, brokers_with_late, read_transactions
from kafka_fleet.collect.admin.transactions import LONG_MS
from kafka_fleet.schema.raw_tables import raw_schemas

LATE = round(time.time() * 1000) - 10 * LONG_MS
Place = tuple[str, int]


def now() -> int:
    return round(time.time() * 1000)


def transaction(state: str = "Ongoing", places: tuple[Place, ...] = (), started: int = LATE, producer: int = 7) -> Any:
    topics = [SimpleNamespace(topic=name, partitions=[partition]) for name, partition in places]
    return SimpleNamespace(
        error_code=0, transaction_state=state, transaction_timeout_ms=60_000, transaction_start_time_ms=started,
        producer_id=producer, producer_epoch=0, topics=topics,
    )  # fmt: skip


def producer(number: int = 7, start: int = 2, written: int = LATE) -> Any:
    return SimpleNamespace(
        producer_id=number, producer_epoch=0, coordinator_epoch=0, current_txn_start_offset=start, last_sequence=3,
        last_timestamp=written,
    )  # fmt: skip


class Client:
    """Brokers that coordinate, by id, transactions by name, and leaders whose partitions have producers."""

    def __init__(
        self,
        coordinated: dict[int, dict[str, Any]] | None = None,
        producers: dict[Place, list[Any]] | None = None,
        version: int | None = 0,
    ) -> None:
        self.coordinated, self.producers, self.version = coordinated or {}, producers or {}, version
        self.refuses: dict[tuple[str, int], int] = {}
        self.unknown = SimpleNamespace(error_code=errors.TransactionalIdNotFoundError.errno)
        self.asked: list[tuple[str, int, Any]] = []
        told = SimpleNamespace(api_version=self._version)
        self._manager = SimpleNamespace(broker_version_data=told, run=lambda send, *given: send(*given), send=self.send)

    def _version(self, _request: Any) -> int:
        if self.version is None:
            raise errors.IncompatibleBrokerVersion
        return self.version

    def send(self, request: Any, broker: int) -> Any:
        name = type(request).__name__.removesuffix("Request")
        self.asked.append((name, broker, request))
        return getattr(self, f"_{name}")(request, broker)

    def _ListTransactions(self, request: Any, broker: int) -> Any:
        own = self.coordinated.get(broker, {})
        found = [
            SimpleNamespace(transactional_id=name, producer_id=one.producer_id, transaction_state=one.transaction_state)
            for name, one in own.items()
            if (not request.state_filters or one.transaction_state in request.state_filters)
            and (not request.producer_id_filters or one.producer_id in request.producer_id_filters)
        ]
        return SimpleNamespace(error_code=self.refuses.get(("list", broker), 0), transaction_states=found)

    def _DescribeTransactions(self, request: Any, broker: int) -> Any:
        found = [
            SimpleNamespace(
                **{**vars(self.coordinated.get(broker, {}).get(name, self.unknown)), "transactional_id": name}
            )
            for name in request.transactional_ids
        ]
        return SimpleNamespace(transaction_states=found)

    def _DescribeProducers(self, request: Any, broker: int) -> Any:
        code = self.refuses.get(("producers", broker), 0)
        return SimpleNamespace(topics=[
            SimpleNamespace(name=topic.name, partitions=[
                SimpleNamespace(
                    partition_index=one, error_code=code, active_producers=self.producers.get((topic.name, one), [])
                ) for one in topic.partition_indexes
            ]) for topic in request.topics
        ])  # fmt: skip

    def _ListOffsets(self, request: Any, broker: int) -> Any:
        offset = 2 if request.isolation_level else 40
        return SimpleNamespace(topics=[
            SimpleNamespace(name=topic.name, partitions=[
                SimpleNamespace(partition_index=one.partition_index, error_code=0, offset=offset)
                for one in topic.partitions
            ]) for topic in request.topics
        ])  # fmt: skip

    @property
    def requests(self) -> list[tuple[str, int]]:
        return [(name, broker) for name, broker, _request in self.asked]


def tables(leader: int = 2) -> dict[str, list[dict[str, Any]]]:
    topics = [("orders", 0, leader), ("orders", 1, 1), ("__transaction_state", 0, 1), ("__transaction_state", 1, 2)]
    return {
        "brokers": [{"broker": 1}, {"broker": 2}],
        "topics": [{"topic": name, "partition": number, "leader": led} for name, number, led in topics],
    }


def read(client: Client) -> tuple[dict[str, list[dict[str, Any]]], dict[str, str]]:
    faults: dict[str, str] = {}
    found = read_transactions(
        client,
        tables(),
        lambda: None,
        lambda table, told: None if told is None else faults.update({table: told}),  # type: ignore[arg-type]
    )
    return found, faults


def test_a_release_before_3_0_is_not_asked() -> None:
    client = Client(version=None)
    assert read(client) == ({}, {})
    assert client.asked == []


def test_on_a_quiet_cluster_it_is_one_request_for_each_broker_and_one_more() -> None:
    client = Client({1: {"done": transaction("CompleteCommit")}})
    found, faults = read(client)
    assert client.requests == [("ListTransactions", 1), ("ListTransactions", 2), ("DescribeTransactions", 1)]
    assert [(row["broker"], row["listed"], row["long_open"]) for row in found[COORDINATORS]] == [(1, 0, 0), (2, 0, 0)]
    assert (found[OPEN], faults) == ([], {})
    assert set(found[COORDINATORS][0]) == set(raw_schemas()[COORDINATORS].names) - {"cluster", "sweep_at"}


def test_one_that_is_open_for_a_moment_asks_no_partition() -> None:
    client = Client({1: {"fast": transaction(places=(("orders", 0),), started=now())}})
    found, _faults = read(client)
    assert [row["listed"] for row in found[COORDINATORS]] == [1, 0]
    assert "DescribeProducers" not in dict(client.requests)


@pytest.mark.parametrize(("version", "duration"), [(0, -1), (1, LONG_MS), (2, LONG_MS)])
def test_where_brokers_filter_by_age_they_are_asked_to(version: int, duration: int) -> None:
    client = Client(version=version)
    read(client)
    lists = [request for name, _broker, request in client.asked if name == "ListTransactions"]
    assert {request.duration_filter for request in lists} == {duration}


def test_a_long_one_is_looked_up_in_its_partitions_and_nowhere_else() -> None:
    known = transaction(places=(("orders", 0),))
    client = Client({1: {"nightly": known}}, {("orders", 0): [producer(), producer(9, -1), producer(8, 5, now())]})
    found, faults = read(client)
    (row,) = found[OPEN]
    assert faults == {}
    assert set(row) == set(raw_schemas()[OPEN].names) - {"cluster", "sweep_at"}
    assert (row["topic"], row["partition"], row["broker"], row["start_offset"]) == ("orders", 0, 2, 2)
    assert (row["last_stable_offset"], row["high_watermark"], row["all_asked"]) == (2, 40, True)
    assert (row["transactional_id"], row["coordinator"], row["state"]) == ("nightly", 1, "Ongoing")
    assert (row["timeout_ms"], row["started_ms"], row["in_transaction"]) == (60_000, LATE, True)
    asked = [request for name, _broker, request in client.asked if name == "DescribeProducers"]
    assert [(topic.name, topic.partition_indexes) for one in asked for topic in one.topics] == [("orders", [0])]


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"billing": transaction("CompleteAbort")}, ("billing", "CompleteAbort", False)),
        ({"billing": transaction("Ongoing", (("orders", 1),))}, ("billing", "Ongoing", False)),
        ({"billing": transaction("PrepareCommit", (("orders", 0),))}, ("billing", "PrepareCommit", True)),
        ({}, (None, None, None)),
    ],
)
def test_what_a_coordinator_says_of_one_that_a_broker_counts_as_late(known: dict[str, Any], expected: Any) -> None:
    client = Client({1: known}, {("orders", 0): [producer()]})
    rows, told = open_transactions.read_open(client, tables(), [("orders", 0)], set(), lambda: None)  # type: ignore[arg-type]
    assert told is None
    assert [(row["transactional_id"], row["state"], row["in_transaction"]) for row in rows] == [expected]
    assert rows[0]["all_asked"] is True


def test_a_coordinator_that_loads_leaves_it_open_who_has_the_transaction() -> None:
    client = Client({}, {("orders", 0): [producer()]})
    client.refuses["list", 2] = errors.CoordinatorLoadInProgressError.errno
    rows, _told = open_transactions.read_open(client, tables(), [("orders", 0)], set(), lambda: None)  # type: ignore[arg-type]
    assert [row["all_asked"] for row in rows] == [False]
    _found, faults = read(client)
    assert faults[COORDINATORS].startswith("broker 2: CoordinatorLoadInProgressError")


def test_who_may_not_describe_every_transactional_id_is_not_told_that_none_is_open() -> None:
    client = Client({1: {"nightly": transaction(places=(("orders", 0),))}}, {("orders", 0): [producer()]})
    client.unknown.error_code = errors.TransactionalIdAuthorizationFailedError.errno
    found, faults = read(client)
    assert found == {COORDINATORS: [], OPEN: []}
    assert faults == {COORDINATORS: transaction_sweep.UNSEEN}
    rows, _told = open_transactions.read_open(client, tables(), [("orders", 0)], set(), lambda: None)  # type: ignore[arg-type]
    assert [row["all_asked"] for row in rows] == [False]


def test_topics_that_may_not_be_read_are_counted() -> None:
    client = Client({1: {"nightly": transaction(places=(("orders", 0),))}})
    client.refuses["producers", 2] = errors.TopicAuthorizationFailedError.errno
    found, faults = read(client)
    assert found[OPEN] == []
    assert faults[OPEN].startswith("1 partitions: TopicAuthorizationFailedError")


def test_partitions_and_rows_of_a_sweep_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_transactions, "PARTITIONS", 1)
    monkeypatch.setattr(open_transactions, "KEPT", 1)
    client = Client({}, {("orders", 0): [producer(7), producer(8)], ("orders", 1): [producer(9)]})
    rows, told = open_transactions.read_open(client, tables(), [("orders", 0), ("orders", 1)], set(), lambda: None)  # type: ignore[arg-type]
    assert len(rows) == 1
    assert told == "1 partitions: at most 1 are asked; 1 partitions: of open transactions at most 1 are kept"


def test_only_brokers_that_count_late_ones_are_asked_further() -> None:
    rows = [
        {"broker": 1, "late_transaction_partitions": 2},
        {"broker": 2, "late_transaction_partitions": 0},
        {"broker": 3},
    ]
    assert brokers_with_late(rows) == {1}


def test_nobody_who_answers_gives_a_sentence() -> None:
    rows, told = transaction_sweep.read_late(["127.0.0.1:1"], {}, 1.0, tables(), {1})
    assert rows == []
    assert told is not None


def test_the_end_of_the_time_costs_both_tables_and_no_others() -> None:
    reader = _Reader(Client(), time.monotonic() - 1)  # type: ignore[arg-type]
    reader.step((COORDINATORS, OPEN), dict)
    assert reader.faults == dict.fromkeys((COORDINATORS, OPEN), "the deadline has passed")
