"""Topic names all the way: from object names of a broker's answer through raw files and Spark, with the numbers."""

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from fleet_spark.facts import write_facts
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.schema import mbeans
from kafka_fleet.store.generations import claim_generation
from support.generators.fuzz_inputs import ODD, mutated, randoms
from support.homes.recorded import Sweep, land_all, recorded_day, recording
from support.servers.object_names import quoted
from support.spark_runs.analysed import Analysed, spark

pytestmark = pytest.mark.xdist_group("jvm")  # where Spark runs already
SEEDS = [b"orders", b"Orders", b"a.b", b"a_b", b"__consumer_offsets", b"x=1,y=2", b"*?", b"1e3"]
SEEDS.append("\u00e9t\u00e9".encode())
ENDS, READS = (
    next(bean for bean in mbeans.beans(request) if bean.table == table and bean.columns[0].name == column)
    for request, table, column in (
        (mbeans.PARTITIONS, "partitions", "log_end_offset"),
        (mbeans.BROKER, "broker_topics", "bytes_out"),
    )
)
KEPT = {"log_start_offset": 0, "isr_count": 1, "replicas_count": 1}


def names(few: int) -> list[str]:
    """Names that differ, some only by case, a blank, or by how a letter is composed."""
    found = {}
    for number, random in randoms(few):
        name = random.choice(ODD) if number % 9 == 0 else mutated(random, random.choice(SEEDS)).decode(errors="replace")
        name = unicodedata.normalize(random.choice(("NFC", "NFD")), name + random.choice(("", "", " ", "\t")))
        if name and not any("\ud800" <= one <= "\udfff" for one in name):  # half a character is in no UTF-8 at all
            found[name[:255]] = None  # longer ones land nowhere: test_bounds.py
    return list(found)


def answered(sweep: Sweep, topics: list[str], tick: int) -> None:
    """Broker 1 answers for these topics and no others: every number is known from its place in the list."""
    rows = Rows()
    ends, reads = (
        {
            mbean.replace("topic=*", f"topic={quoted(topic)}").replace("partition=*", "partition=7"): {attribute: value}
            for topic, value in values
        }
        for mbean, attribute, values in (
            (ENDS.mbean, "Value", [(topic, 1000 + tick * place) for place, topic in enumerate(topics)]),
            (READS.mbean, "Count", [(topic, 5 + tick * place) for place, topic in enumerate(topics)]),
        )
    )
    rows.add(ENDS, ends)
    rows.add(READS, reads)
    assert (rows.unusable, rows.truncated) == (0, 0)
    for table, more in (("partitions", KEPT), ("broker_topics", {})):
        (pattern, *_rest) = sweep.rows(table, broker=1)
        nothing = dict.fromkeys(pattern) | {key: pattern[key] for key in ("broker", "read_at")}
        keys = [column for column, _kind in mbeans.tables()[table].keys.values()]
        found = [
            {**nothing, **dict(zip(keys, key, strict=True)), **more, **values}
            for key, values in rows.by_table[table].items()
        ]
        sweep.tables[table] = [row for row in sweep.rows(table) if row["broker"] != 1] + found


@pytest.mark.sampled("fuzzed-topics")
@pytest.mark.timeout(1800)
@pytest.mark.fault(27)
def test_every_topic_keeps_its_name_and_its_numbers_through_spark(tmp_path: Path, counted: Callable[[], None]) -> None:
    topics = names(2000)
    sweeps = recording("follower331")[1:3]
    for tick, sweep in enumerate(sweeps):
        answered(sweep, topics, tick)
    land_all(tmp_path, sweeps)
    day = Day(spark(), tmp_path, recorded_day(), claim_generation(tmp_path, recorded_day()), sql_dir())
    write_facts(day, [], {"partition_rates", "topic_counters"})
    for table, column, only in (
        ("partition_rates", "records", {}),
        ("topic_counters", "bytes_out", {"kind": "sweeps"}),
    ):
        rows = Analysed(tmp_path, day.ds, day.generation).facts(table, broker=1, **only)
        assert len(rows) == len(topics)
        assert {row["topic"]: row[column] for row in rows} == {topic: place for place, topic in enumerate(topics)}
    for _topic in topics:
        counted()


def test_the_names_are_as_odd_as_they_should_be() -> None:
    found = names(2000)
    folded = {unicodedata.normalize("NFC", name).casefold().strip() for name in found}
    assert len(found) > 1000
    assert len(folded) < len(found)
    assert any("\n" in name for name in found)
    assert any("\x00" in name for name in found)
