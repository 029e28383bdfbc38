"""Foreign, hostile and forbidden consumer groups, as the bytes a broker sends of them: they cost themselves alone."""

import struct
from collections.abc import Mapping
from typing import Any

import pytest

from kafka_fleet.collect.admin import bisect_batches, groups
from kafka_fleet.collect.admin.client import AdminSweep, sweep_admin
from kafka_fleet.collect.admin.group_rows import assigned
from support.servers.foreign_groups import CONNECT, NO_UTF8, REGISTRY
from support.servers.wire_broker import Broker, Group, assignment, running

BILLING = Group(members={"m": assignment(orders=[0, 1])}, commits={("orders", 0): 42, ("orders", 1): 7})
SHIPPING = Group(members={"a": assignment(payments=[0]), "b": b""}, commits={("payments", 0): 5})


def swept(others: Mapping[str, Group]) -> tuple[AdminSweep, Broker]:
    """A sweep of two good groups among others: what there is of the good ones is there in any case."""
    with running({"billing": BILLING, **others, "shipping": SHIPPING}) as (server, broker):
        found = sweep_admin([server], {}, 10.0)
    assert rows(found, "group_offsets", "topic", "partition", "committed_offset") >= {
        ("billing", "orders", 0, 42),
        ("billing", "orders", 1, 7),
        ("shipping", "payments", 0, 5),
    }
    assert rows(found, "group_assignments", "topic", "partition") == {
        ("billing", "orders", 0),
        ("billing", "orders", 1),
        ("shipping", "payments", 0),
    }
    assert rows(found, "group_members", "member_id") >= {("billing", "m"), ("shipping", "a"), ("shipping", "b")}
    assert rows(found, "groups", "state") == {(name, "Stable") for name in ("billing", "shipping", *others)}
    return found, broker


def rows(found: AdminSweep, table: str, *columns: str) -> set[tuple[Any, ...]]:
    """The group of each row, and some of its columns."""
    return {tuple(row[name] for name in ("group_id", *columns)) for row in found.tables[table]}


@pytest.mark.parametrize(
    ("kind", "carried"), [("connect", CONNECT), ("sr", REGISTRY), ("connect", NO_UTF8), ("", b"\x00"), ("canary", b"")]
)
def test_a_foreign_group_has_members_and_is_no_fault(kind, carried):
    found, _broker = swept({"connect-sinks": Group(kind, {"worker": carried}, carried)})
    assert (found.outcome, found.detail, found.missing) == ("ok", None, [])
    assert ("connect-sinks", "worker") in rows(found, "group_members", "member_id")
    assert ("connect-sinks", kind) in rows(found, "groups", "protocol_type")


UNREADABLE = {
    "no UTF-8": NO_UTF8,
    "Connect": CONNECT,
    "JSON": REGISTRY,
    "cut off": assignment(orders=[0])[:-7],
    "version -1": b"\xff\xff" + assignment(orders=[0])[2:],
    "no topics": struct.pack(">hii", 1, -1, -1),
    "no topic": struct.pack(">hihii", 1, 1, -1, 0, -1),
    "no partitions": struct.pack(">hih", 1, 1, 1) + b"a" + struct.pack(">ii", -1, -1),
    "partition -1": assignment(orders=[-1]),
    "2,147,483,647 topics": struct.pack(">hi", 1, 2**31 - 1),
}


@pytest.mark.parametrize("carried", UNREADABLE.values(), ids=UNREADABLE)
def test_a_consumer_that_carries_other_bytes_is_a_member_without_an_assignment(carried):
    found, _broker = swept({"hostile": Group(members={"bad": carried}, metadata=carried)})
    assert (found.outcome, found.missing) == ("partial", ["group_assignments"])
    assert found.detail == "group_assignments: which partitions 1 member of a consumer group has cannot be read"
    assert ("hostile", "bad") in rows(found, "group_members", "member_id")


def test_only_the_bad_member_of_a_group_is_without_an_assignment():
    one, other = assignment(orders=[0]), assignment(payments=[0])
    with running({"mixed": Group(members={"a": one, "b": NO_UTF8, "c": other})}) as (server, _broker):
        found = sweep_admin([server], {}, 10.0)
    assert rows(found, "group_assignments", "member_id", "topic") == {
        ("mixed", "a", "orders"),
        ("mixed", "c", "payments"),
    }
    assert len(found.tables["group_members"]) == 3


def test_groups_that_refuse_are_counted_by_their_error_code():
    found, _broker = swept({"secret": Group(error=30, commit_error=30), "moving": Group(error=16)})
    assert found.missing == ["group_assignments", "group_members", "group_offsets"]
    refused = "1 groups: GroupAuthorizationFailedError: the broker answers GROUP_AUTHORIZATION_FAILED (error code 30)"
    assert f"group_offsets: {refused}" in found.detail
    assert refused in found.detail.partition("group_members: ")[2]
    assert "NotCoordinatorError: the broker answers NOT_COORDINATOR (error code 16)" in found.detail
    assert rows(found, "group_members") == {("billing",), ("shipping",)}


def test_one_group_whose_answer_is_too_large_is_found_and_costs_itself(monkeypatch):
    monkeypatch.setattr("kafka_fleet.collect.admin.guarded_sockets.MOST_BYTES", 20_000)
    others = {f"other-{number}": Group(commits={("payments", 0): 1}) for number in range(20)}
    large = Group(members={"m": b"x" * 30_000}, commits={("orders", 0): 1}, note="x" * 30_000)
    found, broker = swept({**others, "large": large})
    assert found.missing == ["group_assignments", "group_members", "group_offsets"]
    for table in found.missing:
        assert f"{table}: 1 groups: InvalidReceiveError: an answer that is too large" in found.detail
    assert {name for (name,) in rows(found, "group_offsets")} == {"billing", "shipping", *others}
    assert broker.asked.count("DescribeGroupsRequest") == broker.asked.count("OffsetFetchRequest") <= 12


def test_halving_is_bounded_and_counts_what_it_leaves(monkeypatch):
    monkeypatch.setattr(bisect_batches, "HALVED", 10)
    asked: list[list[str]] = []

    def read(names: list[str]) -> list[str]:
        asked.append(names)
        raise ValueError

    lost = bisect_batches.Lost("groups")
    assert bisect_batches.read_bisecting([str(number) for number in range(1200)], lambda: None, read, lost) == []
    assert len(asked) == 3 + 2 * 10
    assert lost.told() == "1,200 groups: ValueError: an answer that the Kafka library cannot read"


def test_a_group_that_claims_very_many_partitions_is_left_out_before_small_ones(monkeypatch):
    monkeypatch.setattr(groups, "ASSIGNED", 1000)
    found, _broker = swept({"aaa": Group(members={"m": assignment(orders=list(range(2000)))})})
    assert found.missing == ["group_assignments"]
    assert ("aaa", "m") in rows(found, "group_members", "member_id")


def test_assignments_of_each_version_of_the_protocol_are_read():
    for version in range(4):
        given = struct.pack(">h", version) + assignment(orders=[3, 1], payments=[0])[2:]
        assert assigned(given) == [("orders", [3, 1]), ("payments", [0])]
    assert assigned(b"") == []


def test_of_very_many_groups_the_first_are_read_and_the_rest_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "MOST", 2)
    with running(dict.fromkeys(("d", "a", "c", "b"), BILLING)) as (server, _broker):
        found = sweep_admin([server], {}, 10.0)
    assert rows(found, "groups") == rows(found, "group_offsets") == {("a",), ("b",)}
    assert found.outcome == "partial"
    assert set(found.missing) >= {"groups", "group_members", "group_assignments", "group_offsets"}
    assert "2 of 4 groups are not read: at most 2 are" in (found.detail or "")
    assert groups.at_most({"a": 1, "b": 2}, 2) == ({"a": 1, "b": 2}, None)
