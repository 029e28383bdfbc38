"""The MBean table on its own: names in every spelling, values of every kind, nothing that can hold a secret."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean, properties
from kafka_fleet.schema.raw_tables import raw_schemas
from support.servers.object_names import quoted


def bean(table: str, part: str) -> Bean:
    return next(one for one in mbeans.tables()[table].beans if part in one.mbean)


LOG_END = bean("partitions", "LogEndOffset")
STATE = bean("broker_metrics", "BrokerState")
PRODUCE_MEAN = bean("request_times", "request=Produce")


@pytest.mark.fault(27)
@pytest.mark.parametrize(
    "name",
    [
        "kafka.log:type=Log,name=LogEndOffset,topic=orders,partition=3",
        "kafka.log:partition=3,topic=orders,name=LogEndOffset,type=Log",
        'kafka.log:type=Log,name=LogEndOffset,topic="orders",partition=3',
        'kafka.log:partition="3",type="Log",topic="orders",name="LogEndOffset"',
    ],
)
def test_order_and_quotes_of_a_name_do_not_matter(name):
    rows = Rows()
    rows.add(LOG_END, {name: {"Value": 41}})
    assert rows.by_table["partitions"] == {("orders", 3): {"log_end_offset": 41}}


@pytest.mark.fault(27)
@given(st.dictionaries(st.from_regex(r"[a-zA-Z-]{1,12}", fullmatch=True), st.text(max_size=30), min_size=1, max_size=5))
def test_any_value_survives_java_quoting(found):
    name = "kafka.server:" + ",".join(f"{key}={quoted(value)}" for key, value in found.items())
    assert properties(name) == found


@given(st.text(max_size=80))
def test_any_text_for_a_name_is_a_row_or_counted(text):
    rows = Rows()
    rows.add(LOG_END, {text: {"Value": 1}})
    assert len(rows.by_table["partitions"]) + rows.unusable == 1


@pytest.mark.parametrize(
    "name",
    [
        "",
        ":",
        "kafka.log:",
        "kafka.log",
        "kafka.log:type",
        'a:b="c',
        'a:b="c"d',
        "a:b=c,",
        "a:b=1,b=2",
        'a:b="1",b=2',
        "a:=1",
    ],
)
def test_what_is_no_object_name_is_counted_and_makes_no_row(name):
    rows = Rows()
    rows.add(LOG_END, {name: {"Value": 41}})
    assert (rows.by_table["partitions"], rows.unusable) == ({}, 1)


@pytest.mark.parametrize("partition", ["-1", "x", "1.5", "2147483648", "", "NaN", "1_2", " 3", "+3", "\u0663"])
def test_a_partition_that_is_none_is_counted_and_makes_no_row(partition):
    rows = Rows()
    rows.add(LOG_END, {f"kafka.log:type=Log,topic=t,partition={partition}": {"Value": 1}})
    assert (rows.by_table["partitions"], rows.unusable) == ({}, 1)


@pytest.mark.fault(27)
def test_unicode_and_odd_topics_are_kept():
    rows = Rows()
    for topic in ("заказы", "a=b", "<script>", "a.b_c-d", "=1+1", "\uff41"):
        rows.add(LOG_END, {f"kafka.log:type=Log,topic={quoted(topic)},partition=0": {"Value": 1}})
    assert [topic for topic, _partition in rows.by_table["partitions"]] == [
        "заказы",
        "a=b",
        "<script>",
        "a.b_c-d",
        "=1+1",
        "\uff41",
    ]


def test_half_a_character_is_not_landed():
    name = json.loads(r'"kafka.log:type=Log,topic=bad\ud800,partition=0"')
    rows = Rows()
    rows.add(LOG_END, {name: {"Value": 1}})
    rows.add(
        bean("broker_metrics", "app-info"), {"kafka.server:type=app-info,id=1": {"Version": json.loads(r'"3\udfff"')}}
    )
    assert rows.by_table["partitions"] == {}
    assert rows.by_table["broker_metrics"][()]["release"] is None
    assert rows.unusable == 2


@pytest.mark.fault(25)
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("7", 7),
        ('"7"', 7),
        ('"-7"', -7),
        ("7.0", 7),
        ("9223372036854775807", 2**63 - 1),
        ('"9223372036854775807"', 2**63 - 1),
        ("9223372036854775808", None),
        ('"9223372036854775808"', None),
        ("1e400", None),
        ("NaN", None),
        ("-Infinity", None),
        ('"NaN"', None),
        ('"Infinity"', None),
        ("7.5", None),
        ('"7.5"', None),
        ("true", None),
        ("[7]", None),
        ('{"a": 7}', None),
        ("1" * 4000, None),
    ],
)
def test_whole_numbers(text, wanted):
    rows = Rows()
    rows.add(LOG_END, {"kafka.log:topic=t,partition=0": {"Value": json.loads(text)}})
    assert rows.by_table["partitions"][("t", 0)] == {"log_end_offset": wanted}
    assert rows.unusable == (wanted is None)
    assert rows.truncated == 0


@pytest.mark.fault(25)
@pytest.mark.parametrize(
    ("text", "wanted"), [("1.5", 1.5), ('"1.5e3"', 1500.0), ("NaN", None), ("1e400", None), ("9" * 400, None)]
)
def test_doubles(text, wanted):
    rows = Rows()
    rows.add(PRODUCE_MEAN, {"kafka.network:name=TotalTimeMs,request=Produce": {"Mean": json.loads(text)}})
    assert rows.by_table["request_times"][("Produce", "TotalTimeMs")] == {"mean_ms": wanted}


@pytest.mark.fault(21, 23)
@pytest.mark.parametrize("value", ["[Object limit exceeded]", "{Value=12}", "", "seven", "0x7"])
def test_text_for_a_number_is_truncation(value):
    rows = Rows()
    rows.add(STATE, {"Value": value})
    assert (rows.truncated, rows.by_table["broker_metrics"][()]) == (1, {})


@pytest.mark.fault(29)
def test_an_attribute_that_the_agent_could_not_read_is_absent():
    rows = Rows()
    rows.add(STATE, {"Value": "ERROR: javax.management.AttributeNotFoundException"})
    assert (rows.truncated, rows.unusable, rows.values) == (0, 0, 0)


@pytest.mark.fault(26)
def test_of_two_names_for_one_replica_the_first_stays_and_the_second_is_counted():
    rows = Rows()
    names = ["kafka.log:topic=t,partition=0", 'kafka.log:partition=0,topic="t"']
    rows.add(LOG_END, {names[0]: {"Value": 1}, names[1]: {"Value": 2}})
    assert rows.by_table["partitions"] == {("t", 0): {"log_end_offset": 1}}
    assert (rows.values, rows.unusable) == (1, 1)


def test_every_row_fits_its_schema():
    for table in mbeans.tables().values():
        schema = raw_schemas()[table.name]
        for column in table.columns.values():
            assert pa.types.is_string(schema.field(column.name).type) == (column.type == "string")


def test_nothing_is_asked_that_can_show_a_secret():
    every = [mbeans.read_request(one) for part in (mbeans.PARTITIONS, mbeans.BROKER) for one in mbeans.beans(part)]
    assert [one["operation"] for one in every if one["type"] == "exec"] == ["findDeadlockedThreads"]
    asked = [one for one in every if one["type"] == "read"]
    assert [read["attribute"] for read in asked if read["mbean"].startswith("java.lang")] == [
        ["StartTime"],
        ["OpenFileDescriptorCount", "MaxFileDescriptorCount"],
    ]
    assert all(read["attribute"] and "*" not in read["attribute"] for read in asked)
    assert all(not read["mbean"].startswith("*") for read in asked)


def test_mbean_of_names_the_source_of_a_column():
    assert mbeans.mbean_of("partitions", "log_end_offset") == LOG_END.mbean
    assert "request=Produce" in mbeans.mbean_of("request_times", "mean_ms", "Produce")
    with pytest.raises(KeyError):
        mbeans.mbean_of("partitions", "nothing")


def test_a_pattern_over_the_logs_is_sent_with_its_wildcards_left_open():
    assert mbeans.requested_name(LOG_END) == "kafka.log:type=Log,name=LogEndOffset,*"
    assert mbeans.requested_name(bean("log_dirs", "uncleanable-bytes")) == (
        "kafka.log:type=LogCleanerManager,name=uncleanable-bytes,*"
    )
    for one in (STATE, PRODUCE_MEAN, bean("broker_topics", "MessagesInPerSec"), bean("broker_metrics", "app-info")):
        assert mbeans.requested_name(one) == one.mbean
    sent = [mbeans.requested_name(one) for part in (mbeans.PARTITIONS, mbeans.BROKER) for one in mbeans.beans(part)]
    assert len(set(sent)) == len(sent)


def test_the_log_that_a_replica_is_moved_to_makes_no_row():
    rows = Rows()
    name = "kafka.log:type=Log,name=LogEndOffset,topic=orders,partition=3"
    rows.add(LOG_END, {f"{name},is-future=true": {"Value": 7}, name: {"Value": 41}})
    assert rows.by_table["partitions"] == {("orders", 3): {"log_end_offset": 41}}
    assert (rows.values, rows.unusable) == (1, 0)
