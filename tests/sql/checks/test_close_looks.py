"""What close looks show of delayed and of healthy readers, over simulated fetches: proof only where it is so."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.duckdb_engine import Duck
from fleet_spark.coverage import thresholds_table
from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.schema.raw_tables import raw_schemas
from support.generators.waiting_fetches import Arrivals, Partition, Reader, bursts, look, random, steady

pytestmark = [pytest.mark.xdist_group("duckdb"), pytest.mark.sampled("duckdb")]

MS, AT, SEEDS = 15_000, datetime(2026, 11, 20, 2, 10, tzinfo=UTC), 3
Load = tuple[list[Partition], list[Reader]]


def _reads(
    arrivals: Callable[[], Arrivals], led: Callable[[int], bool], many: int = 3, idle: int = 0, min_bytes: int = 1
) -> Load:
    parts = [Partition("orders", number, arrivals(), led(number)) for number in range(many)]
    quiet = Partition("quiet", 0, [])
    readers = [Reader([part], min_bytes=min_bytes) for part in parts]
    return [*parts, quiet], [*readers, *(Reader([quiet]) for _ in range(idle))]


def _commits(rng: Random, every_ms: float) -> Load:
    """A transactional producer that writes steadily and commits now and then, read committed from a follower."""
    written = steady(rng, 10, MS)
    committed = [
        (end, sum(size for at, size in written if end - every_ms < at <= end) + 78)
        for end in (rng.uniform(0, every_ms) + every_ms * n for n in range(int(MS / every_ms)))
    ]
    part = Partition("orders", 0, written, False, committed)
    return [part], [Reader([part], read_committed=True)]


def _follows(_number: int) -> bool:
    return False


def _leads_one(number: int) -> bool:
    return number == 0


LOADS: dict[str, tuple[Callable[[Random], Load], bool, set[str | None]]] = {
    # what the clients do, whether a follower wakes its readers, what the looks may show
    "delayed": (lambda rng: _reads(lambda: steady(rng, 10, MS), _follows), False, {"delayed"}),
    "delayed, random arrivals": (lambda rng: _reads(lambda: random(rng, 3, MS), _follows), False, {"delayed"}),
    "delayed beside a prompt leader": (
        lambda rng: _reads(lambda: steady(rng, 10, MS), _leads_one), False, {"seems", "partly"},
    ),
    "prompt beside an idle reader": (
        lambda rng: _reads(lambda: steady(rng, 10, MS), _follows, idle=1), True, {"prompt"},
    ),
    "prompt beside fourteen idle readers": (
        lambda rng: _reads(lambda: steady(rng, 10, MS), _follows, idle=14), True, {"prompt", None},
    ),
    "bursts just after the second wait": (
        lambda rng: _reads(lambda: bursts(rng, 1.02, 30, 20, MS), _follows, many=1), True, {"prompt", None},
    ),
    "bursts just after each wait": (
        lambda rng: _reads(lambda: bursts(rng, 0.52, 30, 20, MS), _follows, many=1), True, {"prompt", None},
    ),
    "commits just after the second wait": (lambda rng: _commits(rng, 1020), True, {"prompt", None}),
    "an idle partition by turns": (
        lambda rng: ([(part := Partition("orders", 0, steady(rng, 40, MS), False))], [Reader([part], by_turns=True)]),
        True, {"prompt", "seems", None},
    ),
    "fetch.min.bytes on leaders": (
        lambda rng: _reads(lambda: steady(rng, 10, MS), lambda _n: True, min_bytes=100_000), True, {"waits"},
    ),
}  # fmt: skip


def _beside_fast(rng: Random, own: list[Reader], idle: int = 0) -> Load:
    """Readers of a topic that the broker follows, beside prompt ones of another that it leads, and idle ones."""
    fast = [Partition("payments", number, random(rng, 60, MS)) for number in range(3)]
    quiet = Partition("quiet", 0, [])
    others = [*(Reader([part]) for part in fast), *(Reader([quiet]) for _ in range(idle))]
    return [*(part for reader in own for part in reader.reads), *fast, quiet], [*own, *others]


def _followed(rng: Random, many: int, **settings: Any) -> list[Reader]:
    return [Reader([Partition("orders", number, random(rng, 40, MS), False)], **settings) for number in range(many)]


def _in_step(rng: Random) -> float:
    return 500 + rng.uniform(1, 4)


DAYS: dict[str, tuple[Callable[[Random], Load], bool, int, bool]] = {
    # what the clients do, whether a follower wakes its readers, looks of the day, whether they tell together
    "five delayed": (lambda rng: _beside_fast(rng, _followed(rng, 5)), False, 48, True),
    "five delayed, a few looks": (lambda rng: _beside_fast(rng, _followed(rng, 5)), False, 8, False),
    "one delayed": (lambda rng: _beside_fast(rng, _followed(rng, 1)), False, 12, True),
    "five idle": (lambda rng: _beside_fast(rng, _followed(rng, 5), idle=5), True, 48, False),
    "five slow, five idle": (
        lambda rng: _beside_fast(rng, _followed(rng, 5, thinks=lambda r: r.uniform(200, 700)), idle=5), True, 48, False,
    ),
    "one slow in step with one idle": (
        lambda rng: _beside_fast(rng, _followed(rng, 1, thinks=_in_step), idle=1), True, 48, False,
    ),
    "commits just after the second wait": (lambda rng: _beside_fast(rng, _commits(rng, 1020)[1]), True, 48, False),
    # why they prove nothing
    "an idle partition by turns": (
        lambda rng: _beside_fast(rng, _followed(rng, 5, by_turns=True)), True, 48, True,
    ),
}  # fmt: skip


def _judged(home: Path, loads: dict[str, tuple[Callable[[Random], Load], bool, list[str]]]) -> Duck:
    """`look_topics` of looks: what the clients do, whether a follower wakes its readers, the cluster of each look."""
    duck = Duck(home, "2026-11-20", sql_dir(), threads=1)
    reads, looks, led = [], [], []
    for name, (load, wakes, clusters) in loads.items():
        for seed, cluster in enumerate(clusters):
            rng = Random(f"{name} {seed}")  # noqa: S311
            parts, readers = load(rng)
            at = AT + timedelta(minutes=10 * seed)
            known = {"cluster": cluster, "broker": 2, "sweep_at": at}
            looks.append({**known, "signature": "fetch_latency", "outcome": "ok", "started_at": at})
            rows = look(rng, parts, readers, wakes, MS, 100)
            reads += [{**known, "signature": "fetch_latency", **row} for row in rows]
            own = [part for part in parts if part.topic == "orders"]
            leaders = sum(part.led for part in own)
            led += [
                {**known, "topic": "orders", "partition": number, "replicas_count": int(number < leaders)}
                for number in range(len(own))
            ]
    for table, rows in (("looks", looks), ("look_reads", reads), ("partitions", led)):
        schema = raw_schemas()[table]
        names = dict.fromkeys(schema.names)
        duck.table(f"raw_{table}", pa.Table.from_pylist([{**names, **row} for row in rows], schema=schema))
    duck.store("look_steps", fact_queries(sql_dir())["look_steps"])
    signature = load_signatures(sql_dir())["fetch_latency"]
    values = {name: float(one.value) for name, one in signature.thresholds.items()}
    limits = {str(row["cluster"]): values for row in looks}
    duck.table("fetch_latency_thresholds", thresholds_table(signature, limits))
    duck.store("look_topics", signature.steps["look_topics"])
    return duck


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str | None]]:
    """What the looks at each load show of its topic."""
    loads = {
        name: (load, wakes, [f"{name}#{seed}" for seed in range(SEEDS)]) for name, (load, wakes, _) in LOADS.items()
    }
    duck = _judged(tmp_path_factory.mktemp("looks"), loads)
    found: dict[str, set[str | None]] = {name: set() for name in LOADS}
    for row in duck.rows("SELECT cluster, shows FROM look_topics WHERE topic = 'orders'"):
        found[row["cluster"].partition("#")[0]].add(row["shows"])
    return found


@pytest.mark.parametrize("load", LOADS)
def test_a_look_proves_delay_only_where_readers_are_delayed(shown: dict[str, set[str | None]], load: str) -> None:
    assert shown[load]
    assert shown[load] <= LOADS[load][2]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    """Whether all looks of a day show together that the topic goes out beside expiries."""
    loads = {name: (load, wakes, [name] * many) for name, (load, wakes, many, _) in DAYS.items()}
    duck = _judged(tmp_path_factory.mktemp("days"), loads)
    query = "SELECT cluster, max(beside) AS beside FROM look_topics WHERE topic = 'orders' GROUP BY cluster"
    return {row["cluster"]: row["beside"] for row in duck.rows(query)}


@pytest.mark.parametrize("load", DAYS)
def test_delayed_readers_beside_fast_ones_show_over_many_looks_alone(days: dict[str, bool], load: str) -> None:
    assert days[load] == DAYS[load][3]
