"""Producer ids of replicas: which are asked, what becomes rows, and what a refusal costs."""

from types import SimpleNamespace
from typing import Any

import pytest
from kafka import errors
from kafka.structs import TopicPartition

from kafka_fleet.collect import producers
from kafka_fleet.collect.producers import ASKED, asked, concerned, read_producers
from kafka_fleet.store.schemas import raw_schemas

ID = SimpleNamespace(producer_id=4000, producer_epoch=2, last_sequence=17, last_timestamp=1_790_000_000_000)


def topic(name: str, partition: int, replicas: list[int], internal: bool = False) -> dict[str, Any]:
    return {"topic": name, "partition": partition, "replicas": replicas, "internal": internal}


class Client:
    """Answers for each replica with the ids that it is given, and remembers who was asked for what."""

    def __init__(self, known: dict[int, list[Any]], version: tuple[int, int] | None = (2, 8)) -> None:
        self._manager = SimpleNamespace(broker_version=version)
        self.known = known
        self.calls: list[tuple[int, list[TopicPartition]]] = []

    def describe_producers(self, places: list[TopicPartition], broker_id: int) -> dict[TopicPartition, Any]:
        self.calls.append((broker_id, places))
        return {place: SimpleNamespace(active_producers=self.known[broker_id]) for place in places}


def tables(*topics: dict[str, Any], brokers: tuple[int, ...] = (1, 2)) -> dict[str, list[dict[str, Any]]]:
    return {"topics": list(topics), "brokers": [{"broker": broker} for broker in brokers]}


@pytest.mark.parametrize(("version", "expected"), [((2, 7), False), ((2, 8), True), ((3, 0), False), (None, False)])
def test_only_the_release_that_can_lose_them_is_asked(version: Any, expected: bool) -> None:
    assert concerned(Client({}, version)) is expected  # type: ignore[arg-type]


def test_one_partition_of_every_topic_comes_first_and_the_number_is_bounded() -> None:
    many = [topic(f"t{n:04}", partition, [1, 2]) for n in range(150) for partition in range(3)]
    internal = topic("__consumer_offsets", 0, [1, 2], internal=True)
    chosen = asked([*many, internal, topic("alone", 0, [1])])
    assert {broker: len(places) for broker, places in chosen.items()} == {1: ASKED, 2: ASKED}
    assert [place.partition for place in chosen[1]] == [0] * 150 + [1] * 50
    assert {place.topic for place in chosen[1]} == {f"t{n:04}" for n in range(150)}


def test_each_replica_gives_its_ids_and_an_empty_one_says_that_it_knows_none() -> None:
    client = Client({1: [ID], 2: []})
    rows = read_producers(client, tables(topic("orders", 0, [2, 1])), lambda: None)  # type: ignore[arg-type]
    assert [(row["broker"], row["producer_id"], row["last_sequence"]) for row in rows] == [
        (1, 4000, 17),
        (2, None, None),
    ]
    assert set(rows[0]) == set(rows[1]) == set(raw_schemas()["producers"].names) - {"cluster", "sweep_at"}


def test_a_broker_that_is_not_listed_is_not_asked() -> None:
    client = Client({1: [ID]})
    rows = read_producers(client, tables(topic("orders", 0, [2, 1]), brokers=(1,)), lambda: None)  # type: ignore[arg-type]
    assert [broker for broker, _places in client.calls] == [1]
    assert len(rows) == 1


def test_a_replica_is_kept_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(producers, "KEPT", 3)
    client = Client({1: [ID, ID], 2: [ID, ID]})
    rows = read_producers(client, tables(topic("orders", 0, [1, 2])), lambda: None)  # type: ignore[arg-type]
    assert [row["broker"] for row in rows] == [1, 1]


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
