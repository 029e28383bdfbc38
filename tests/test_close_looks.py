"""What a close look shows of delayed and of healthy readers, over simulated fetches: proof only where it is so."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from benchmarks.duckdb_engine import Duck
from fleet_spark.facts import fact_queries
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.paths import sql_dir
from kafka_fleet.store.schemas import raw_schemas
from waiting_fetches import Arrivals, Partition, Reader, bursts, look, random, steady

MS, AT, SEEDS = 15_000, datetime(2026, 11, 20, 10, 10, tzinfo=UTC), 3
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
    "fetch.min.bytes on leaders": (
        lambda rng: _reads(lambda: steady(rng, 10, MS), lambda _n: True, min_bytes=100_000), True, {"waits"},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str | None]]:
    """What the looks at each load show of its topic."""
    home: Path = tmp_path_factory.mktemp("looks")
    duck = Duck(home, "2026-11-20", sql_dir(), threads=1)
    reads, looks, led = [], [], []
    for name, (load, wakes, _expected) in LOADS.items():
        for seed in range(SEEDS):
            rng = Random(f"{name} {seed}")  # noqa: S311
            parts, readers = load(rng)
            known = {"cluster": f"{name}#{seed}", "broker": 2, "sweep_at": AT}
            looks.append({**known, "signature": "fetch_latency", "outcome": "ok", "started_at": AT})
            rows = look(rng, parts, readers, wakes, MS, 100)
            reads += [{**known, "signature": "fetch_latency", **row} for row in rows]
            own = [part for part in parts if part.topic == "orders"]
            leaders = sum(part.led for part in own)
            led.append({**known, "topic": "orders", "leaders": leaders, "replicas": len(own)})
    for table, rows in (("looks", looks), ("look_reads", reads)):
        schema = raw_schemas()[table]
        names = dict.fromkeys(schema.names)
        duck.table(f"raw_{table}", pa.Table.from_pylist([{**names, **row} for row in rows], schema=schema))
    duck.table("led_topics", pa.Table.from_pylist(led))
    duck.store("look_steps", fact_queries(sql_dir())["look_steps"], {})
    signature = load_signatures(sql_dir())["fetch_latency"]
    bound = {name: float(one.value) for name, one in signature.thresholds.items()}
    clusters = [row["cluster"] for row in looks]
    for step in ("look_slots", "look_topics"):
        duck.store(step, signature.steps[step], {**bound, "clusters": clusters})
    found: dict[str, set[str | None]] = {name: set() for name in LOADS}
    for row in duck.rows("SELECT cluster, shows FROM look_topics WHERE topic = 'orders'"):
        found[row["cluster"].partition("#")[0]].add(row["shows"])
    return found


@pytest.mark.parametrize("load", LOADS)
def test_a_look_proves_delay_only_where_readers_are_delayed(shown: dict[str, set[str | None]], load: str) -> None:
    assert shown[load]
    assert shown[load] <= LOADS[load][2]
