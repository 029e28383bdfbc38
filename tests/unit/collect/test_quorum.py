"""The KRaft quorum: a row per voter and observer, null for what the leader does not know, no row where none is."""

import asyncio
from typing import Any

import pytest
from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.admin import DescribeQuorumResponse

from kafka_fleet.collect.admin.quorum import MOST, read_quorum, undeclared_controllers
from kafka_fleet.schema.raw_tables import raw_schemas
from support.builders.admin_sweeps import QUORUM, quorum_replica, raising, swept


class Answers:
    """An admin client that gives or raises this."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def describe_metadata_quorum(self) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def read(answer: Any) -> list[dict[str, Any]]:
    client: Any = Answers(answer)
    return read_quorum(client)


def partition(**changes: Any) -> dict[str, Any]:
    (topic,) = QUORUM["topics"]
    return {**QUORUM, "topics": [{**topic, "partitions": [{**topic["partitions"][0], **changes}]}]}


def test_voters_have_an_address_and_observers_do_not() -> None:
    rows = read(QUORUM)
    assert [(one["replica"], one["is_voter"], one["host"], one["directory_id"]) for one in rows if one["is_voter"]] == [
        (100, True, "c100", "dir-a"), (101, True, "c101", "dir-b"),
    ]  # fmt: skip
    (observer,) = [one for one in rows if not one["is_voter"]]
    assert (observer["replica"], observer["log_end_offset"], observer["last_fetch_ms"]) == (1, 88, 4900)
    assert set(rows[0]) == set(raw_schemas()["quorum_replicas"].names) - {"cluster", "sweep_at"}


def test_a_voter_that_never_fetched_has_no_times_and_the_leader_s_clock_is_of_every_row() -> None:
    rows = {one["replica"]: one for one in read(QUORUM)}
    assert [rows[101][name] for name in ("log_end_offset", "last_fetch_ms", "last_caught_up_ms")] == [None] * 3
    assert {one["leader_ms"] for one in rows.values()} == {5000}
    assert {(one["leader"], one["leader_epoch"], one["high_watermark"]) for one in rows.values()} == {(100, 4, 90)}


def test_releases_before_3_9_tell_no_addresses_and_no_directories() -> None:
    old = {key: value for key, value in QUORUM.items() if key != "nodes"}
    assert {one.get("host") for one in read(old)} == {None}


class Wire:
    """What the library's own client sends to, with the answer of a broker of 3.3 in its bytes."""

    def __init__(self, code: int) -> None:
        topic = DescribeQuorumResponse.TopicData
        state = topic.PartitionData.ReplicaState(replica_id=1, log_end_offset=10)
        one = topic.PartitionData(partition_index=0, error_code=code, leader_id=1, leader_epoch=3, high_watermark=10,
                                  current_voters=[state], observers=[])  # fmt: skip
        named = topic(topic_name="__cluster_metadata", partitions=[one])
        content = DescribeQuorumResponse(version=0, error_code=0, topics=[named]).encode(version=0)
        self.answer = DescribeQuorumResponse.decode(content, version=0)

    async def send(self, *_: object) -> Any:
        return self.answer

    def run(self, call: Any, *given: object) -> Any:
        return asyncio.run(call(*given))


def test_an_answer_before_3_9_which_has_no_text_of_errors_is_read() -> None:
    client: Any = object.__new__(KafkaAdminClient)
    client._manager = Wire(0)
    with pytest.raises(KeyError, match="error_message"):
        client.describe_metadata_quorum()  # once the library reads it, read_quorum need not
    (row,) = read_quorum(client)
    assert (row["replica"], row["is_voter"], row["leader_epoch"], row["log_end_offset"]) == (1, True, 3, 10)
    client._manager = Wire(errors.NotLeaderForPartitionError.errno)
    with pytest.raises(errors.NotLeaderForPartitionError):
        read_quorum(client)


def test_a_cluster_without_the_request_has_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(errors.IncompatibleBrokerVersion("2.8")) == []
    found = swept(monkeypatch, describe_metadata_quorum=raising(errors.IncompatibleBrokerVersion("2.8")))
    assert (found.outcome, found.tables["quorum_replicas"]) == ("ok", [])


def test_an_election_under_way_is_a_fault_of_this_table_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    error = partition(error="[Error 6] NotLeaderOrFollowerError")
    found = swept(monkeypatch, describe_metadata_quorum=lambda: error)
    assert (found.outcome, found.missing) == ("partial", ["quorum_replicas"])
    found = swept(monkeypatch, describe_metadata_quorum=raising(errors.ClusterAuthorizationFailedError()))
    assert found.missing == ["quorum_replicas"]


def test_replicas_are_bounded() -> None:
    many = [quorum_replica(node, 90, 4900) for node in range(MOST + 50)]
    assert len(read(partition(observers=many))) == MOST + 2


def test_a_voter_that_holds_replicas_is_a_broker() -> None:
    rows = read(QUORUM)
    topics = [{"topic": "orders", "replicas": [101, 1]}]
    tables = {"brokers": [{"broker": 1}], "topics": topics, "quorum_replicas": rows}
    assert undeclared_controllers(tables, [1]) == {100: "c100"}
    assert undeclared_controllers(tables, [1, 100]) == {}
    assert undeclared_controllers({}, []) == {}


def test_where_metadata_was_not_read_no_voter_is_taken_for_a_controller() -> None:
    """In combined mode each of them is a broker too, and its agent is asked as a broker's."""
    assert undeclared_controllers({"quorum_replicas": read(QUORUM)}, []) == {}


@pytest.mark.parametrize("answer", [{**QUORUM, "topics": []}, {**QUORUM, "topics": [{"partitions": []}]}])
def test_an_answer_without_a_partition_costs_this_table_alone(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    found = swept(monkeypatch, describe_metadata_quorum=lambda: answer)
    assert (found.outcome, found.missing) == ("partial", ["quorum_replicas"])
    assert found.tables["brokers"]
