"""Answers read as columns against the same answers read entry by entry: equal rows, and every odd entry left alone."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.jolokia import columns
from kafka_fleet.collect.jolokia.client import BrokerSweep, sweep_broker
from kafka_fleet.collect.jolokia.columns import Part, read_columns
from kafka_fleet.collect.jolokia.responses import decode
from kafka_fleet.collect.jolokia.rows import TWICE, Rows
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.arrow import as_table
from kafka_fleet.schema.raw_tables import raw_schemas
from support.servers.jolokia_simulator import Agent, agent

LOG_END, LOG_START, *_OTHERS = mbeans.tables()["partitions"].beans
TOPIC_IN = mbeans.tables()["broker_topics"].beans[0]
LAG = mbeans.tables()["fetcher_lags"].beans[0]
LIMITS = Limits(deadline_s=20.0)


@pytest.fixture
def tiny(monkeypatch):
    """Every answer is big enough to be read as columns."""
    monkeypatch.setattr(columns, "SMALL", 0)


def name(topic: str = "orders", partition: object = 3) -> str:
    return f"kafka.log:name=LogEndOffset,partition={partition},topic={topic},type=Log"


def text(value: Any) -> memoryview:
    return memoryview(json.dumps(value, separators=(",", ":")).encode())


def landed(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for table, content in rows.items():
        items = content if isinstance(content, list) else [content]
        found[table] = as_table(items, raw_schemas()[table], {}).to_pylist()
    return found


def test_a_column_is_read_with_its_keys(tiny):
    part = read_columns(LOG_END, text({name("a-b.c_d", 0): {"Value": 7}, name("orders", 12): {"Value": -1}}))
    assert part is not None
    assert [array.to_pylist() for array in part.keys] == [["a-b.c_d", "orders"], [0, 12]]
    assert part.values.to_pylist() == [7, -1]


@pytest.mark.fault(27)
@pytest.mark.parametrize("bean", [LOG_END, TOPIC_IN, LAG])
def test_names_in_any_order_of_properties_are_read(tiny, bean):
    domain, _colon, rest = bean.mbean.partition(":")
    pairs = [pair.replace("partition=*", "partition=5").replace("=*", "=orders") for pair in rest.split(",")]
    for order in (pairs, pairs[::-1], sorted(pairs)):
        value = {f"{domain}:{','.join(order)}": {bean.columns[0].attribute: 41}}
        part = read_columns(bean, text(value))
        assert part is not None
        rows, slow = Rows(), Rows()
        rows.add_part(part)
        slow.add(bean, value)
        assert landed(rows) == landed(slow)


@pytest.mark.parametrize(
    "odd",
    [
        {name(partition="03"): {"Value": 1}},
        {name(partition=-1): {"Value": 1}},
        {name(partition="9" * 10): {"Value": 1}},
        {name(topic='"orders"'): {"Value": 1}},
        {name(topic="a=b"): {"Value": 1}},
        {name(topic="заказы"): {"Value": 1}},
        {name(topic=""): {"Value": 1}},
        {name().replace("Log,", "X,") + ",is-future=true": {"Value": 1}},
        {name(partition=4): {"Value": 1.0}},
        {name(partition=4): {"Value": 10**18}},
        {name(partition=4): {"Value": "7"}},
        {name(partition=4): {"Value": None}},
        {name(partition=4): {"Value": True}},
        {name(partition=4): {"Value": float("nan")}},
        {name(partition=4): {"Value": "ERROR: gone"}},
        {name(partition=4): {"Value": "[Object limit exceeded]"}},
        {name(partition=4): {"Value": 1, "Other": 2}},
        {name(partition=4): {}},
        {name(partition=4): "{Value=12}"},
        {'x},"y': {"Value": 1}},
        {"kafka.log:partition=3,topic=orders,name=LogEndOffset,type=Log": {"Value": 2}},
    ],
)
def test_one_odd_entry_leaves_the_whole_answer_to_the_other_reader(tiny, odd):
    assert read_columns(LOG_END, text({name(): {"Value": 1}, **odd})) is None
    assert read_columns(LOG_END, text({**odd, name(): {"Value": 1}})) is None


@pytest.mark.parametrize("body", [b"", b"{}", b"null", b"[1]", b'{"', b'{"}}', b'{"x":{"Value":1}}', b'{"\xff":{}}}}'])
def test_what_is_no_answer_at_all_is_left_alone(tiny, body):
    assert read_columns(LOG_END, memoryview(body)) is None


def test_one_name_twice_is_left_to_the_rule_for_it(tiny):
    once = f'"{name()}":{{"Value":1}}'
    assert read_columns(LOG_END, memoryview(f"{{{once},{once}}}".encode())) is None


@pytest.mark.fault(26)
@pytest.mark.parametrize("second", [b'"value":null', b'"value":{}', b'"v\\u0061lue":{"x":1}', b'"value":%s'])
@pytest.mark.parametrize("behind", [True, False])
def test_an_entry_with_two_values_has_none_however_large(second, behind):
    column = json.dumps({name(partition=number): {"Value": number} for number in range(400)}, separators=(",", ":"))
    value = column.encode()
    assert len(value) > columns.SMALL
    members = [b'"value":' + value, second.replace(b"%s", value)]
    entry = b'{%s,"status":200}' % b",".join(members if behind else members[::-1])
    twice, once = decode(bytearray(b'[%s,{"status":200,"value":%s}]' % (entry, value)), [LOG_END, LOG_END])
    assert twice == {"status": 200, "value": TWICE}
    assert twice["value"] is TWICE
    assert isinstance(once["value"], Part)


replicas = st.dictionaries(
    st.tuples(st.from_regex(r"[A-Za-z0-9._-]{1,9}", fullmatch=True), st.integers(0, 10**9 - 1)),
    st.integers(-(10**18) + 1, 10**18 - 1),
    min_size=1,
    max_size=30,
)


@given(st.lists(replicas, min_size=2, max_size=2), st.sampled_from([(True, True), (True, False), (False, True)]))
@settings(max_examples=100, deadline=None)
def test_columns_rows_and_both_at_once_land_the_same(pair, fast):
    columns.SMALL, before = 0, columns.SMALL
    try:
        rows, slow = Rows(), Rows()
        for bean, found, wide in zip((LOG_END, LOG_START), pair, fast, strict=True):
            title = "LogEndOffset" if bean is LOG_END else "LogStartOffset"
            value = {name(t, p).replace("LogEndOffset", title): {"Value": v} for (t, p), v in found.items()}
            slow.add(bean, value)
            part = read_columns(bean, text(value)) if wide else None
            assert (part is not None) == wide
            if isinstance(part, Part):
                rows.add_part(part)
            else:
                rows.add(bean, value)
            assert rows.count("partitions", bean.columns[0].name) == len(found)
    finally:
        columns.SMALL = before
    wanted, got = landed(slow)["partitions"], landed(rows)["partitions"]
    order = sorted if fast == (False, True) else list  # rows taken one by one come before those of a column
    assert order(map(str, got)) == order(map(str, wanted))
    assert (rows.values, rows.unusable) == (slow.values, slow.unusable)


def swept(one: Agent, monkeypatch: pytest.MonkeyPatch, small: int) -> tuple[BrokerSweep, dict[str, list[Any]]]:
    monkeypatch.setattr(columns, "SMALL", small)
    found = sweep_broker(one.url, Credentials(), LIMITS)
    return found, landed(found.rows)


def test_a_broker_is_landed_the_same_either_way(monkeypatch):
    with agent(Agent({"orders": 400, "payments": 30, "заказы": 2})) as one:
        slow, rows = swept(one, monkeypatch, 10**9)
        one.topics.pop("заказы")
        one.topics["clicks"] = 2
        fast, wide = swept(one, monkeypatch, 1000)
    assert "partitions" in fast.rows.parts
    assert slow.rows.parts == {}
    odd = [row for row in rows["partitions"] if row["topic"] != "заказы"]
    assert odd == [row for row in wide["partitions"] if row["topic"] != "clicks"]
    assert (fast.outcome, fast.rows.values) == (slow.outcome, slow.rows.values)


@pytest.mark.fault(22)
def test_a_cut_is_seen_in_columns_too(monkeypatch):
    with agent(Agent({"orders": 400})) as one:
        keep = LOG_START.mbean

        def half(mbean: str, given: dict[str, Any]) -> dict[str, Any]:
            return {**given, "value": dict(list(given["value"].items())[:200])} if mbean == keep else given

        one.entry = half
        found, _rows = swept(one, monkeypatch, 1000)
    assert LOG_END in [part.bean for part in found.rows.parts["partitions"]]
    assert (found.outcome, found.detail) == ("truncated", "200 replicas read, the broker counts 400")
