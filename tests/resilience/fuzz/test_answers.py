"""Bulk answers of hostile or broken agents: recorded values, changed at random, against a second and slow reading."""

import json
import tracemalloc
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest

from kafka_fleet.collect.connections.http import Failure
from kafka_fleet.collect.jolokia import client as jolokia
from kafka_fleet.collect.jolokia import columns, responses
from kafka_fleet.collect.jolokia.responses import decode
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean
from support.generators.fuzz_inputs import TIMES, mutated, one_line, randoms, tried
from support.homes.recorded import recording, scenarios
from support.oracles.answer_oracle import Cells, cells

KINDS = {"cut_off", "not_json", "auth", "protocol", "too_large"}


def object_name(bean: Bean, keys: dict[str, Any]) -> str:
    """The name that a broker's agent gives an MBean with these keys."""
    domain, _colon, rest = bean.mbean.partition(":")
    own = dict(pair.split("=", 1) for pair in rest.split(",") if pair != "*")
    own |= {name: str(one) for name, one in keys.items() if one is not None}
    quoted = {n: json.dumps(v) if any(c in v for c in ',=:"*?\n') else v for n, v in own.items()}
    return f"{domain}:{','.join(f'{name}={one}' for name, one in sorted(quoted.items()))}"


def rebuilt(tables: dict[str, list[dict[str, Any]]], broker: int, beans: list[Bean]) -> list[dict[str, Any]]:
    """The answers that a recorded broker's rows came from."""
    found = []
    for bean in beans:
        rows = [row for row in tables.get(bean.table, []) if row["broker"] == broker]
        keys = mbeans.tables()[bean.table].keys
        values: dict[str, Any] = {}
        for row in rows:
            own = {c.attribute: row[c.name] for c in bean.columns if row.get(c.name) is not None}  # some are newer
            name = object_name(bean, {name: row[column] for name, (column, _kind) in keys.items()})
            if own and ("*" not in bean.mbean or mbeans.matches_pattern(bean, name, mbeans.properties(name))):
                values |= {name: own} if "*" in bean.mbean else own
        if bean.operation is not None:  # what is recorded is of before it was asked for
            found.append({"value": [48, 51] if broker == 2 else None, "timestamp": 1_790_000_000, "status": 200})
            continue
        given = {"value": values, "timestamp": 1_790_000_000, "status": 200}
        found.append(given if values else {"error": "javax.management.InstanceNotFoundException", "status": 404})
    return found


@cache
def bodies() -> list[tuple[list[Bean], bytes]]:
    """Answers of recorded brokers: partition gauges, and all other beans by two, where that is small enough."""
    found = []
    for sweep in [recording(name)[-1] for name in scenarios()]:
        broker = min(row["broker"] for row in sweep.tables["brokers"])
        every = mbeans.beans(mbeans.BROKER)
        for beans in (mbeans.beans(mbeans.PARTITIONS), *(every[at : at + 2] for at in range(0, len(every), 2))):
            found.append((beans, json.dumps(rebuilt(sweep.tables, broker, beans)).encode()))
    return [(beans, body) for beans, body in found if len(body) < 12_000]


def read(body: bytes, beans: list[Bean]) -> Cells | None:
    """The program's own reading; None for a Failure, whose sentence holds nothing of the body."""
    rows = Rows()
    found, failure = tried(Failure, decode, bytearray(body), beans)
    if isinstance(failure, Failure):
        assert failure.kind in KINDS
        assert one_line(failure.detail, 200)
        assert failure.detail.isascii()
        return None
    jolokia._take(beans, found, rows, [], [])
    told: Cells = {}
    for table, content in rows.items():
        columns_ = [column for column, _kind in mbeans.tables()[table].keys.values()]
        for row in content if isinstance(content, list) else content.to_pylist():
            key = tuple(row[name] for name in columns_)
            told |= {(table, key, n): v for n, v in row.items() if n not in columns_ and v is not None}
    return told


def test_what_was_recorded_comes_out_as_it_was():
    assert len(bodies()) > 40
    known = 0
    for beans, body in bodies():
        wanted = cells(body, beans)
        assert wanted is not None
        assert read(body, beans) == wanted
        known += len(wanted)
    assert known > 2000


@pytest.mark.fault(18, 19, 21, 23, 24, 25, 26, 27)
def test_changed_answers_are_a_failure_or_the_same_numbers_as_a_slow_reading(counted: Callable[[], None]) -> None:
    texts = [body for _beans, body in bodies()]
    failures = 0
    for number, random in randoms(2500):
        beans, body = random.choice(bodies())
        body = mutated(random, body, texts)
        wanted, found = cells(body, beans), read(body, beans)
        assert found == wanted, f"input {number}: {body[:3000]!r}"
        failures += found is None
        counted()
    assert failures > 100 * TIMES


def odd(random: Random) -> str:
    """A value as JSON text: good ones, and what agents and their limits put in their place."""
    good = str(random.choice((0, 7, -1, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 1.5, 12.0, 1e18)))
    bad = (
        '"12"',
        '"1_2"',
        '"\u0663"',
        '"[Object limit exceeded]"',
        '"{Value=12}"',
        "NaN",
        "-Infinity",
        "1e400",
        "null",
    )
    bad += ("true", "[]", "{}", '"ERROR: javax"', '"NaN"', '"1e3"', '" 7"', "9" * 60, '"+7"', '"-0"', "-0.0")
    return random.choice((good, good, good, random.choice(bad)))


def built(random: Random, beans: list[Bean]) -> bytes:
    """A bulk answer written by hand: odd values, names twice, properties in any order and quoted."""
    entries = []
    for bean in beans:
        domain, _colon, rest = bean.mbean.partition(":")
        values = []
        for _row in range(random.choice((0, 1, 3, 6))):
            topic = random.choice(("orders", "a-b.c_d", 'q"=,:*', "\u6771\n", "x" * 249))
            partition = random.choice(("0", "1", "12", "1_2", "-1", "01", "\u0663", "2147483648", "x", "+3"))
            pairs = []
            for pair in (one for one in rest.split(",") if one != "*"):
                key, _equal, wanted = pair.partition("=")
                text = {"topic": topic, "partition": partition}.get(key, "client-1") if wanted == "*" else wanted
                text = text.replace("*", "Remote")
                odd_text = any(c in text for c in ',=:"*?\n') or random.random() < 0.05
                pairs.append(f"{key}={json.dumps(text, ensure_ascii=False)}" if odd_text else f"{key}={text}")
            if random.random() < 0.03:
                pairs.append(random.choice((pairs[0], "future=1", "x", "=", "")))
            random.shuffle(pairs)
            attributes = ", ".join(f'"{column.attribute}": {odd(random)}' for column in bean.columns[:3])
            name = json.dumps(f"{domain}:" + ",".join(pairs))
            values.append(f"{name}: {{{attributes}}}")
        own = ", ".join(f'"{column.attribute}": {odd(random)}' for column in bean.columns)
        value = ", ".join(values) if "*" in bean.mbean else own
        status = random.choice(("200",) * 9 + ("404", "500"))
        value = f"{{{value}}}"
        if bean.operation is not None:
            value = random.choice(
                ("null", "[]", "[48, 51]", "[7]", "[0]", '["1"]', "[1.5]", "[true]", odd(random), value)
            )
        members = [f'"value": {value}', '"timestamp": 1', f'"status": {status}']
        if random.random() < 0.05:
            members.append(random.choice((members[0], '"value": {}', '"v\\u0061lue": null', *members[1:], '"x": 1')))
            random.shuffle(members)
        entries.append(f"{{{', '.join(members)}}}")
    return f"[{', '.join(entries)}]".encode()


@pytest.mark.fault(21, 23, 25, 26, 27)
@pytest.mark.parametrize("small", [0, 16 * 1024], ids=["as columns where they can be", "one by one"])
def test_answers_of_odd_parts_give_the_numbers_that_are_in_them(counted, monkeypatch, small) -> None:
    monkeypatch.setattr(columns, "SMALL", small)
    every = mbeans.beans(mbeans.PARTITIONS) + mbeans.beans(mbeans.BROKER)
    known = 0
    for number, random in randoms(800):
        beans = random.sample(every, 4)
        body = built(random, beans)
        wanted = cells(body, beans)
        assert read(body, beans) == wanted, f"input {number}: {body.decode()[:3000]}"
        known += len(wanted or ())
        counted()
    assert known > 500 * TIMES


def refused(body: bytes) -> int:
    """Bytes of memory that it takes to refuse a large answer."""
    tracemalloc.start()
    with pytest.raises(Failure) as caught:
        decode(body, mbeans.beans(mbeans.PARTITIONS))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert caught.value.kind == "too_large"
    assert len(body) > responses.LIGHT
    return peak


@pytest.mark.fault(7, 57)
@pytest.mark.parametrize("part", [b"[],", b"{},", b"1,", b'{"value":1},', b'{"value":[]},'])
def test_small_parts_in_great_number_are_refused_before_they_are_in_memory(part: bytes) -> None:
    assert refused(b"[" + part * (12_000_000 // len(part)) + b"0]") < 20_000_000


FACES = "\U0001f600"  # one of them makes Python's text of a million letters four million bytes
WIDE = {"raw": FACES.encode(), "escaped": b"\\ud83d\\ude00", "of two bytes": "\u6771".encode(), "escaped A": b"\\u0041"}


@pytest.mark.fault(7, 57)
@pytest.mark.parametrize("form", [b'"%s"', b'{"%s": 1}', b'["%s"]', b'{"x": {"Value": "%s"}}'])
@pytest.mark.parametrize("wide", WIDE.values(), ids=WIDE)
def test_one_wide_character_in_a_large_answer_is_refused_before_it_is_in_memory(wide: bytes, form: bytes) -> None:
    entry = b'{"value": %s, "timestamp": 1, "status": 200}'
    large = entry % (form % (b"a" * 4_300_000 + wide))
    assert refused(b"[" + b", ".join([large, *[entry % b"{}"] * 4]) + b"]") < 3 * len(large)
    narrow = b"[" + b", ".join([entry % (form % (wide * 9)), *[entry % b"{}"] * 4]) + b"]"
    assert read(narrow, mbeans.beans(mbeans.PARTITIONS)) == cells(narrow, mbeans.beans(mbeans.PARTITIONS))


@pytest.mark.fault(7, 57)
def test_large_answers_of_any_text_take_a_few_times_their_size(counted: Callable[[], None]) -> None:
    """Texts of random length, some wide, as keys and values; five patterns of them, or one."""
    beans, kept = mbeans.beans(mbeans.PARTITIONS), 0
    for number, random in randoms(12):
        words = [b"a" * random.randrange(200, 90_000), b"".join(random.choices((b"\\n", b'\\"', b"\\\\", b"b"), k=900))]
        if random.random() < 0.5:
            words.append(b"a" * random.randrange(9_000) + random.choice(list(WIDE.values())))
        form, size, values = random.choice((b'"%s"', b'["%s"]', b'{"%s": 1}')), 0, []
        while size < 4_500_000:
            values.append(form % random.choice(words))
            size += len(values[-1])
        value = b"[" + b",".join(values) + b"]"
        body = b"[" + b",".join([b'{"value":' + value + b"}", *[b"{}"] * (len(beans) - 1)]) + b"]"
        tracemalloc.start()
        found, _failure = tried(Failure, decode, bytearray(body), beans)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 5 * len(body), f"input {number}"
        kept += found is not None
        counted()
    assert kept >= 3 * TIMES
