"""From raw sweeps to detections of isr_stagnation and unclean_restart: recorded sweeps with one thing changed each."""

from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fleet_spark.facts import CLOCK_SECONDS, START_HOURS, fact_queries
from fleet_spark.signatures import Measured, run_signatures
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.detections import SignatureResult
from kafka_fleet.knowledge.signatures import load_signatures
from support.builders.mutations import restart
from support.homes.recorded import Sweep, changed, land_all, recorded_day
from support.spark_runs.analysed import spark

pytestmark = [pytest.mark.timeout(1800), pytest.mark.sampled]
READ = {
    "cluster_days", "broker_days", "broker_settings", "broker_intervals", "broker_counters",
    "out_of_sync_intervals", "broker_assignments", "topic_shapes", "broker_starts", "restarts", "lost_producers",
}  # fmt: skip
SETTLED_S = 1400.0  # the last of five sweeps comes so much later than recorded, which is still the same day


def slower(sweeps: list[Sweep]) -> None:
    """The same reads far apart; process starts stay where they were."""
    for index, one in enumerate(sweeps):
        began = {id(row): (row["jvm_start_ms"], row["app_start_ms"]) for row in one.rows("broker_metrics")}
        one.move(timedelta(seconds=(index - 4) * SETTLED_S / 4))
        for row in one.rows("broker_metrics"):
            row["jvm_start_ms"], row["app_start_ms"] = began[id(row)]
            row["jvm_start_ms"] -= round(1000 * SETTLED_S)
            row["app_start_ms"] -= round(1000 * SETTLED_S)


def frozen(sweeps: list[Sweep]) -> None:
    """Broker 1 keeps broker 2 out of the set of orders-0 from the second sweep on; broker 2 has everything."""
    slower(sweeps)
    for one in sweeps[1:]:
        for row in one.rows("topics", topic="orders"):
            row["isr"] = [1]
        for row in one.rows("partitions", topic="orders", broker=1):
            row["isr_count"] = 1


def told_whole(sweeps: list[Sweep]) -> None:
    """The leader's own set is short, and the metadata says that it is whole."""
    frozen(sweeps)
    for row in (row for one in sweeps for row in one.rows("topics", topic="orders")):
        row["isr"] = [1, 2]


def behind(sweeps: list[Sweep]) -> None:
    """The same while broker 2 is ever further behind."""
    frozen(sweeps)
    for row in (row for one in sweeps for row in one.rows("partitions", topic="orders", broker=2)):
        row["log_end_offset"] = row["log_end_offset"] // 10


def gone(sweeps: list[Sweep]) -> None:
    """Broker 2 is out of the cluster from the second sweep on."""
    frozen(sweeps)
    for one in sweeps[1:]:
        for table in [name for name in one.tables if name not in ("brokers", "broker_configs", "topics")]:
            one.tables[table] = [row for row in one.tables[table] if row.get("broker") != 2]
        for row in one.rows("brokers", broker=2):
            row |= {"read_at": None, "host": None, "outcome": "failed", "kind": "refused", "detail": "refused"}


def known_ids(sweeps: list[Sweep], lost: bool, counted: int = 0, written: bool = True, asked_s: float = 30) -> None:
    """Broker 2 is a new process at the fourth sweep, stopped as counted, and may have lost one of two ids, which wrote
    between the sweeps before or not at all. The agent had answered when brokers were asked for ids, or not yet."""
    restart(sweeps)
    for index, one in enumerate(sweeps):
        for row in one.rows("broker_metrics"):
            row["controlled_shutdowns"] = 3 + counted * (index >= 3)
        at = round(one.at.timestamp() * 1000) - 60_000
        sequence = 9 + index if written else 9
        replica: dict[str, Any] = {"topic": "orders", "partition": 0, "producer_epoch": 0, "last_sequence": sequence,
                                   "last_timestamp_ms": at, "read_at": one.at + timedelta(seconds=asked_s)}  # fmt: skip
        known = [(1, 4000), (1, 4001), (2, 4000), (2, 4001)]
        if lost and index >= 3:
            known.remove((2, 4001))
        one.tables["producers"] = [{**replica, "broker": broker, "producer_id": number} for broker, number in known]


def purged(sweeps: list[Sweep], counted: int) -> None:
    """The same, and by the fourth sweep the application has purged what was in the log at the third."""
    known_ids(sweeps, lost=True, counted=counted)
    for one in sweeps[3:]:
        for broker in (1, 2):
            end = sweeps[2].rows("partitions", topic="orders", partition=0, broker=broker)[0]["log_end_offset"]
            for row in one.rows("partitions", topic="orders", partition=0, broker=broker):
                row["log_start_offset"] = end + 1


def away(sweeps: list[Sweep], stopped: int) -> None:
    """Broker 2 is away at the fourth sweep, fenced, with so many in controlled shutdown, and back at the fifth."""
    slower(sweeps)
    for table in [name for name in sweeps[3].tables if name not in ("brokers", "broker_configs", "topics")]:
        sweeps[3].tables[table] = [row for row in sweeps[3].tables[table] if row.get("broker") != 2]
    for row in sweeps[3].rows("brokers", broker=2):
        row |= {"read_at": None, "host": None, "outcome": "failed", "kind": "refused", "detail": "refused"}
    for row in sweeps[3].rows("broker_metrics", broker=1):
        row |= {"active_controller": 1, "fenced_brokers": 1, "controlled_shutdown_brokers": stopped}
    for row in sweeps[2].rows("broker_metrics", broker=2):
        row["leader_count"] = 3
    began = round(1000 * sweeps[4].at.timestamp()) - 60_000
    for row in sweeps[4].rows("broker_metrics", broker=2):
        row |= {"jvm_start_ms": began, "app_start_ms": began + 900}


def refused(sweeps: list[Sweep], since: int) -> None:
    """Broker 2 is a new process at the fourth sweep; from some sweep on the controller has refused a registration."""
    restart(sweeps)
    for one in sweeps[since:]:
        row = dict(one.rows("request_errors", broker=1)[0])
        one.tables["request_errors"].append(
            row | {"request": "BrokerRegistration", "error": "DUPLICATE_BROKER_REGISTRATION", "errors": 6}
        )


def expires_soon(sweeps: list[Sweep]) -> None:
    """The same with ids that expire within half an hour: a broker forgets such at its start, others a little later."""
    known_ids(sweeps, lost=True)
    for row in (row for one in sweeps for row in one.rows("broker_configs")):
        if row["name"] == "transactional.id.expiration.ms":
            row["value"] = "1800000"


CHANGES: dict[str, Callable[[list[Sweep]], None]] = {
    "healthy": lambda sweeps: None,
    "slower": slower,
    "frozen": frozen,
    "told-whole": told_whole,
    "behind": behind,
    "gone": gone,
    "ids-kept": lambda sweeps: known_ids(sweeps, lost=False),
    "ids-lost": lambda sweeps: known_ids(sweeps, lost=True),
    "ids-lost-clean": lambda sweeps: known_ids(sweeps, lost=True, counted=1),
    "ids-purged": lambda sweeps: purged(sweeps, counted=0),
    "ids-of-a-new-disk": lambda sweeps: purged(sweeps, counted=1),
    "ids-of-old": lambda sweeps: known_ids(sweeps, lost=True, written=False),
    "ids-expire-soon": expires_soon,
    "ids-asked-first": lambda sweeps: known_ids(sweeps, lost=True, asked_s=0),  # the first sweep has no such log
    "kraft-restart": restart,
    "kraft-killed": lambda sweeps: away(sweeps, stopped=0),
    "kraft-stopped": lambda sweeps: away(sweeps, stopped=1),
    "kraft-refused": lambda sweeps: refused(sweeps, since=3),
    "kraft-refused-before": lambda sweeps: refused(sweeps, since=0),
}
UNTOLD = {"kraft-restart", "kraft-refused-before"}  # nothing tells how the process ended


@cache
def measured(home: Path) -> dict[str, dict[str, Measured]]:
    for name, change in CHANGES.items():
        land_all(home, changed("follower331", name, change))
    day = Day(spark(), home, recorded_day(), "test", sql_dir())
    day.load_raw([])
    known: dict[str, Any] = {"ds": day.ds, "start_hours": START_HOURS, "clock_s": CLOCK_SECONDS}
    for table, query in fact_queries(sql_dir(), READ).items():
        frame = spark().sql(query, args={name: value for name, value in known.items() if f":{name}" in query})
        frame.localCheckpoint(eager=True).createOrReplaceTempView(table)
    chosen = [load_signatures(sql_dir())[name] for name in ("isr_stagnation", "unclean_restart")]
    return run_signatures(spark(), chosen, {name: {} for name in CHANGES})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stopped")


def found(result: SignatureResult) -> list[tuple[str, str, list[str]]]:
    return [(one.cause, one.strength, list(one.subjects)) for one in result.detections]


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ("slower", []),
        ("frozen", [("frozen", "conclusive", ["broker 1", "partition orders-0"])]),
        ("told-whole", [("frozen", "conclusive", ["broker 1", "partition orders-0"])]),
        ("gone", [("dead_broker", "conclusive", ["broker 2"])]),
        ("behind", []),
        ("healthy", []),
    ],
)
def test_in_sync_sets(home: Path, cluster: str, expected: list[Any]) -> None:
    result = measured(home)[cluster]["isr_stagnation"].result
    assert found(result) == expected
    wanted = "detected" if expected else "not_evaluated" if cluster == "healthy" else "quiet"
    assert result.state == wanted
    if cluster == "healthy":
        assert any("counts as frozen after 300 s" in sentence for sentence in result.missing)


def test_the_evidence_of_a_frozen_set_is_what_was_read(home: Path) -> None:
    one = measured(home)["frozen"]["isr_stagnation"]
    lines = {line["metric"]: line["value"] for line in one.result.detections[0].evidence}
    assert lines["longest time that one of them did not change"] == pytest.approx(0.75 * SETTLED_S, rel=0.1)
    assert lines["records that arrived at the leaders meanwhile"] > 100
    assert lines["largest lag of a missing follower at any of the sweeps"] <= 10
    assert lines["expansions of in-sync sets by those leaders meanwhile"] == 0
    assert one.rows is not None
    assert [row[:4] for row in one.rows["rows"]] == [["orders-0", "1", "2", "1 / 1 of 2"]]
    torn = measured(home)["told-whole"]["isr_stagnation"].rows
    assert torn is not None
    assert torn["rows"][0][3] == "2 / 1 of 2"


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ("ids-kept", [("killed", "suggestive", ["broker 2"])]),
        ("ids-lost", [("killed", "conclusive", ["broker 2", "topic orders"])]),
        ("ids-lost-clean", [("long_recovery", "conclusive", ["broker 2", "topic orders"])]),
        ("ids-purged", [("killed", "suggestive", ["broker 2"])]),
        ("ids-of-a-new-disk", []),
        ("ids-of-old", [("killed", "suggestive", ["broker 2"])]),
        ("ids-expire-soon", [("killed", "suggestive", ["broker 2"])]),
        ("ids-asked-first", [("killed", "suggestive", ["broker 2"])]),
        ("kraft-restart", []),
        ("kraft-killed", [("killed", "suggestive", ["broker 2"])]),
        ("kraft-stopped", []),
        ("kraft-refused", [("killed", "suggestive", ["broker 2"])]),
        ("kraft-refused-before", []),
        ("healthy", []),
    ],
)
def test_restarts(home: Path, cluster: str, expected: list[Any]) -> None:
    result = measured(home)[cluster]["unclean_restart"].result
    assert found(result) == expected
    assert result.state == ("detected" if expected else "quiet")
    assert any("KRaft controllers do not" in sentence for sentence in result.missing) == (cluster in UNTOLD)
    if cluster == "ids-lost":
        lines = {line["metric"]: line["value"] for line in result.detections[0].evidence}
        assert lines["of them lost by the broker and still known to another replica"] == 1
