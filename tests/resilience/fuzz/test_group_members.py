"""What members of consumer groups carry, changed at random: against a second reading, and in a sweep among others."""

import struct
from collections.abc import Callable

import pytest

from kafka_fleet.collect.admin.client import sweep_admin
from kafka_fleet.collect.admin.group_rows import assigned
from support.generators.fuzz_inputs import mutated, one_line, randoms
from support.servers.foreign_groups import CONNECT, NO_UTF8, REGISTRY
from support.servers.wire_broker import Group, assignment, running

SEEDS = [
    assignment(orders=[0, 1, 2], payments=[7]),
    assignment(**{"a" * 40: list(range(30))}),
    assignment(**{"été.\u0663": [2**31 - 1]}),
    struct.pack(">hii", 3, 0, -1),
    CONNECT,
    REGISTRY,
    NO_UTF8,
]
Assigned = list[tuple[str, list[int]]]


def slow(given: bytes) -> Assigned | None:
    """Topics and partitions, one number after the other; None where a length, a text or a number is no good one."""
    place = 0

    def number(size: int) -> int:
        nonlocal place
        place += size
        if place > len(given):
            raise ValueError("cut off")
        return int.from_bytes(given[place - size : place], "big", signed=True)

    def text(length: int) -> str:
        nonlocal place
        place += length
        if length < 0 or place > len(given):
            raise ValueError("cut off, or no text")
        return given[place - length : place].decode()

    def many() -> range:
        count = number(4)
        if count < 0:
            raise ValueError("no list")
        return range(count)

    found: Assigned = []
    try:
        negative = number(2) < 0
        for _topic in many():
            found.append((text(number(2)), [number(4) for _partition in many()]))
        data = number(4)  # length of the assignor's own bytes, which may be none
        place += max(0, data)
    except ValueError:
        return None
    return (
        None
        if negative or data < -1 or place > len(given) or any(one < 0 for _topic, own in found for one in own)
        else found
    )


@pytest.mark.fault(27)
def test_assignments_are_read_as_a_slow_reader_does_or_not_at_all(counted: Callable[[], None]) -> None:
    read = 0
    for at, random in randoms(4000):
        given = mutated(random, random.choice(SEEDS), SEEDS)
        found = assigned(given)
        assert found == (slow(given) if given else []), f"input {at}: {given!r}"
        read += bool(found)
        counted()
    assert read > 50


@pytest.mark.fault(27)
def test_no_member_of_any_bytes_costs_another_group_anything(counted: Callable[[], None]) -> None:
    good = Group(members={"m": assignment(orders=[0, 1])}, commits={("orders", 0): 42})
    for at, random in randoms(4):
        hostile = {}
        for number in range(25):
            members = {f"m{n}": mutated(random, random.choice(SEEDS), SEEDS) for n in range(4)}
            kind = random.choice(("consumer", "consumer", "connect", "sr", ""))
            hostile[f"h{number}"] = Group(kind, members, random.choice(SEEDS))
        with running({"good": good, **hostile}) as (server, _broker):
            found = sweep_admin([server], {}, 10.0)
        assert set(found.missing) <= {"group_assignments"}, f"input {at}: {found.detail}"
        assert one_line(found.detail or "none")
        assert [row["partition"] for row in found.tables["group_assignments"] if row["group_id"] == "good"] == [0, 1]
        assert [row["committed_offset"] for row in found.tables["group_offsets"]] == [42]
        assert len(found.tables["group_members"]) == 101
        counted()
