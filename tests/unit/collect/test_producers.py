"""Producer ids of replicas: which are asked, what becomes rows, and what a refusal costs."""

import time
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import errors
from kafka.structs import TopicPartition

from kafka_fleet.collect.admin.client import _Reader
from kafka_fleet.collect.admin.producers import (
    ASKED,
    KEPT,
    TAKEN,
    has_producer_bug,
    partitions_to_ask,
    read_producers,
)
from kafka_fleet.schema.raw_tables import raw_schemas

ID = SimpleNamespace(producer_id=4000, producer_epoch=2, last_sequence=17, last_timestamp=1_790_000_000_000)


def topic(name: str, partition: int, replicas: list[int], internal: bool = False) -> dict[str, Any]:
    return {"topic": name, "partition": partition, "replicas": replicas, "internal": internal}


class Client:
    """Answers for each replica with the ids that it is given, and remembers who was asked for what."""

    def __init__(self, known: dict[int, list[Any]], version: tuple[int, int] | None = (2, 8)) -> None:
        self._manager = SimpleNamespace(broker_version=version)
        self.known = known
        self.calls: list[tuple[int, list[TopicPartition]]] = []

    def of(self, place: TopicPartition, broker: int) -> list[Any]:
        return self.known[broker]

    def describe_producers(self, places: list[TopicPartition], broker_id: int) -> dict[TopicPartition, Any]:
        self.calls.append((broker_id, places))
        return {place: SimpleNamespace(active_producers=self.of(place, broker_id)) for place in places}


class Busy(Client):
    """Partition n of a topic is written to by so many producers, whose ids every replica knows."""

    def __init__(self, sizes: list[int]) -> None:
        super().__init__({})
        self.sizes = sizes

    def of(self, place: TopicPartition, broker: int) -> list[Any]:
        return [SimpleNamespace(**{**vars(ID), "producer_id": n}) for n in range(self.sizes[place.partition])]


def read(client: Client, given: dict[str, list[dict[str, Any]]]) -> tuple[list[dict[str, Any]], str | None]:
    return read_producers(client, given, lambda: None)  # type: ignore[arg-type]


def kept(rows: list[dict[str, Any]]) -> dict[int, set[int]]:
    """The brokers whose rows there are, by partition."""
    return {row["partition"]: {one["broker"] for one in rows if one["partition"] == row["partition"]} for row in rows}


def tables(*topics: dict[str, Any], brokers: tuple[int, ...] = (1, 2)) -> dict[str, list[dict[str, Any]]]:
    return {"topics": list(topics), "brokers": [{"broker": broker} for broker in brokers]}


@pytest.mark.parametrize(("version", "expected"), [((2, 7), False), ((2, 8), True), ((3, 0), False), (None, False)])
def test_only_the_release_that_can_lose_them_is_asked(version: Any, expected: bool) -> None:
    assert has_producer_bug(Client({}, version)) is expected  # type: ignore[arg-type]


def test_one_partition_of_every_topic_comes_first_and_the_number_is_bounded() -> None:
    many = [topic(f"t{n:04}", partition, [1, 2]) for n in range(150) for partition in range(3)]
    internal = topic("__consumer_offsets", 0, [1, 2], internal=True)
    chosen = partitions_to_ask([*many, internal, topic("alone", 0, [1])])
    assert [place.partition for place in chosen] == [0] * 150 + [1] * (ASKED - 150)
    assert {place.topic for place in chosen} == {f"t{n:04}" for n in range(150)}
    assert set(map(tuple, chosen.values())) == {(1, 2)}


def test_each_replica_gives_its_ids_and_an_empty_one_says_that_it_knows_none() -> None:
    rows, told = read(Client({1: [ID], 2: []}), tables(topic("orders", 0, [2, 1])))
    assert told is None
    assert [(row["broker"], row["producer_id"], row["last_sequence"]) for row in rows] == [
        (1, 4000, 17),
        (2, None, None),
    ]
    assert set(rows[0]) == set(rows[1]) == set(raw_schemas()["producers"].names) - {"cluster", "sweep_at"}


def test_a_broker_that_is_not_listed_is_not_asked() -> None:
    client = Client({1: [ID]})
    rows, told = read(client, tables(topic("orders", 0, [2, 1]), brokers=(1,)))
    assert told is None
    assert [broker for broker, _places in client.calls] == [1]
    assert len(rows) == 1


@pytest.mark.sampled("large-answers")  # some seconds by its size; smaller answers run every time
def test_of_9000_ids_at_three_brokers_every_broker_is_asked_and_a_partition_is_kept_for_all_or_none() -> None:
    client = Busy([300] * 10)
    topics = [topic("orders", n, [1 + n % 3, 1 + (n + 1) % 3, 1 + (n + 2) % 3]) for n in range(10)]
    rows, told = read(client, tables(*topics, brokers=(1, 2, 3)))
    assert told == "5 of 10 partitions are left out: at most 5,000 rows are kept"
    assert kept(rows) == {n: {1, 2, 3} for n in range(5)}
    assert len(rows) == 5 * 300 * 3
    assert read(client, tables(*reversed(topics), brokers=(1, 2, 3)))[0][0]["partition"] == 0
    assert {broker for broker, _places in client.calls} == {1, 2, 3}


@pytest.mark.sampled("large-answers")  # some seconds by its size; smaller answers run every time
def test_the_same_partitions_are_kept_at_the_next_sweep_and_a_large_one_takes_no_room_of_others() -> None:
    topics = tables(*(topic("orders", n, [1, 2, 3]) for n in range(6)), brokers=(1, 2, 3))
    first, told = read(Busy([100, 2000, 100, 100, 900, 400]), topics)
    assert told == "1 of 6 partitions are left out: at most 5,000 rows are kept"
    assert kept(first) == {n: {1, 2, 3} for n in (0, 2, 3, 4, 5)}
    then, _told = read(Busy([103, 2100, 99, 101, 905, 390]), topics)
    assert kept(then) == kept(first)


def test_a_sweep_says_how_many_partitions_are_left_out() -> None:
    reader = _Reader(Busy([2000, 3]), time.monotonic() + 60)  # type: ignore[arg-type]
    reader.tables = tables(topic("orders", 0, [1, 2, 3]), topic("orders", 1, [1, 2, 3]), brokers=(1, 2, 3))
    reader.step(("producers",), reader.producers)
    assert reader.faults == {"producers": "1 of 2 partitions are left out: at most 5,000 rows are kept"}
    assert kept(reader.tables["producers"]) == {1: {1, 2, 3}}


def test_requests_are_few_and_no_more_is_asked_once_answers_were_large() -> None:
    many = tables(*(topic("orders", n, [1, 2, 3]) for n in range(ASKED)), brokers=(1, 2, 3))
    client = Busy([1] * ASKED)
    rows, told = read(client, many)
    assert (len(rows), told) == (3 * ASKED, None)
    assert len(client.calls) == 3 * 8
    client = Busy([2000] * ASKED)
    rows, told = read(client, many)
    assert (rows, told) == ([], f"{ASKED} of {ASKED} partitions are left out: at most {KEPT:,} rows are kept")
    assert sum(len(places) for _broker, places in client.calls) * 2000 <= 3 * TAKEN


def test_a_replica_that_the_answer_leaves_out_has_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client({1: [ID], 2: [ID]})
    monkeypatch.setattr(client, "describe_producers", lambda places, broker_id: {})
    assert read(client, tables(topic("orders", 0, [1, 2]))) == ([], None)


def test_a_refusal_and_the_end_of_the_time_are_raised() -> None:
    class Refusing(Client):
        def describe_producers(self, places: list[TopicPartition], broker_id: int) -> dict[TopicPartition, Any]:
            raise errors.TopicAuthorizationFailedError

    with pytest.raises(errors.TopicAuthorizationFailedError):
        read_producers(Refusing({}), tables(topic("orders", 0, [1, 2])), lambda: None)  # type: ignore[arg-type]

    def late() -> None:
        raise TimeoutError

    client = Client({1: [ID]})
    with pytest.raises(TimeoutError):
        read_producers(client, tables(topic("orders", 0, [1, 2])), late)  # type: ignore[arg-type]
    assert client.calls == []
