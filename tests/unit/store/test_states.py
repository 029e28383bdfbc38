"""States: whatever changes from sweep to sweep, the runs that are stored give back the rows of each sweep."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.states import TIMES, StateRuns

SCHEMA = raw_schemas()["topics"]
FIRST = datetime(2026, 11, 20, tzinfo=UTC)
Row = dict[str, Any]


def at(number: int) -> datetime:
    return FIRST + timedelta(minutes=5 * number)


def sweep(number: int, rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist([{"cluster": "c", "sweep_at": at(number), **row} for row in rows], SCHEMA)


def partition(topic: str = "orders", number: int = 0, **more: Any) -> Row:
    return {"topic": topic, "partition": number, "leader": 1, "replicas": [1, 2], "isr": [1, 2], **more}


def runs(*sweeps: list[Row]) -> list[Row]:
    made = StateRuns(SCHEMA)
    for number, rows in enumerate(sweeps):
        made.add(at(number), sweep(number, rows))
    return made.table().to_pylist()


def spans(found: list[Row]) -> list[tuple[Any, datetime, datetime]]:
    return sorted((row["leader"], row["sweep_at"], row["last_sweep_at"]) for row in found)


def test_rows_that_stay_are_stored_once_and_a_change_begins_a_run() -> None:
    one, two = partition(), partition(leader=2)
    assert spans(runs([one], [one], [two], [one])) == [(1, at(0), at(1)), (1, at(3), at(3)), (2, at(2), at(2))]


@pytest.mark.parametrize("between", [[], [partition("other")]], ids=["not read", "gone"])
def test_a_sweep_without_the_row_ends_its_run(between: list[Row]) -> None:
    found = [row for row in runs([partition()], between, [partition()]) if row["topic"] == "orders"]
    assert spans(found) == [(1, at(0), at(0)), (1, at(2), at(2))]


def test_what_is_null_and_what_is_empty_are_two_states() -> None:
    assert len(runs([partition(isr=None)], [partition(isr=[])], [partition(isr=None)])) == 3


def test_rows_that_are_there_twice_stay_twice() -> None:
    found = runs([partition()], [partition(), partition()], [partition(), partition()], [partition()])
    assert spans(found) == [(1, at(0), at(0)), (1, at(1), at(2)), (1, at(1), at(2)), (1, at(3), at(3))]


@pytest.mark.parametrize("seed", range(60))
def test_each_sweep_is_found_again(seed: int) -> None:
    rng = Random(seed)  # noqa: S311

    def drawn() -> Row:
        return {"leader": rng.choice([1, 2, None]), "replicas": rng.choice([[1, 2], [2, 1], None, []])}

    state = {(f"t{rng.randrange(3)}", number): drawn() for number in range(rng.randrange(6))}
    made, landed = StateRuns(SCHEMA), []
    for number in range(8):
        for key in list(state):
            if rng.random() < 0.2:
                state[key] = drawn()
            if rng.random() < 0.1:
                del state[key]
        if rng.random() < 0.3:
            state[f"t{rng.randrange(9)}", rng.randrange(9)] = drawn()
        rows = [{"topic": topic, "partition": n, **own} for (topic, n), own in state.items()]
        rng.shuffle(rows)
        rows = [] if rng.random() < 0.1 else rows + rows[: rng.random() < 0.1]
        made.add(at(number), sweep(number, rows))
        landed.append(rows)
    found = made.table().to_pylist()
    for number, rows in enumerate(landed):
        held = [row for row in found if row["sweep_at"] <= at(number) <= row["last_sweep_at"]]
        whole = sweep(number, rows).to_pylist()
        assert sorted(map(content, held)) == sorted(map(content, whole)), number


def content(row: Row) -> str:
    return repr([value for name, value in row.items() if name not in TIMES])
