"""Any value of any column of any raw table: it is stored as it came, or it is null and counted. None ends a landing."""

import math
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.column_constraints import bounds, keys
from kafka_fleet.store.raw.constraints import Bound, Flag, Items, Moments, Numbers, Text
from kafka_fleet.store.raw.row_validation import validated_rows
from support.generators.fuzz_inputs import ODD, randoms

pytestmark = pytest.mark.fault(61)

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2036, 11, 20, 10, tzinfo=UTC)  # a sweep's times lie between
LEAP = timedelta(days=1)  # ten years are ten times 365 days and two or three more
ROWS = 12
EDGES = [0, -1, 1, 7, *(sign * (2**power + more) for power in (15, 31, 44, 53, 58, 63, 64) for more in (-1, 0, 1)
         for sign in (1, -1)), 10**12, 10**15, 10**30]  # fmt: skip
KEY: dict[type, Any] = {Numbers: 7, Flag: True, Text: "x"}  # of each kind one that may be stored
LETTERS = ("x", "\u00e9", "\U0001f600")


def within(bound: Bound, kind: pa.DataType, value: Any) -> bool:
    """Whether a value may be stored, told one by one and without Arrow."""
    match bound:
        case Flag():
            return True
        case Text(longest=longest):
            return len(value) <= longest and not any("\ud800" <= one <= "\udfff" for one in value)
        case Items(most=most, each=each):
            return len(value) <= most and all(one is not None and within(each, kind.value_type, one) for one in value)
        case Numbers(low=low, high=high):
            return math.isfinite(value) and low <= value <= high and (isinstance(value, float) or _fits(kind, value))
        case Moments(per_second=per_second, none=none):
            if none and value == -1:
                return True
            since = value if isinstance(value, int) else (value - EPOCH) // timedelta(microseconds=1)
            return _units(FIRST, per_second) <= since <= _units(LAST + LEAP, per_second)
    raise AssertionError(bound)


def _fits(kind: pa.DataType, value: int) -> bool:
    return abs(value) <= 2**53 if pa.types.is_floating(kind) else abs(value + 0.5) < 2.0 ** (kind.bit_width - 1)


def _units(at: datetime, per_second: int) -> int:
    return (at - EPOCH) // timedelta(microseconds=1_000_000 // per_second)


def made(random: Random, bound: Bound, kind: pa.DataType) -> Any:
    """A value of the column's kind, often at its bound or just beyond."""
    if random.randrange(6) == 0:
        return None
    if isinstance(bound, Flag):
        return random.choice((True, False))
    if isinstance(bound, Items):
        many = random.choice((0, 1, 3, min(bound.most, 2000), min(bound.most, 2000) + 1))
        item = made(random, bound.each, kind.value_type)
        return [item if random.randrange(40) == 0 else {True: 1, False: "x"}[isinstance(bound.each, Numbers)]
                for _place in range(many)]  # fmt: skip
    if isinstance(bound, Text):
        many = bound.longest if bound.longest <= 20_000 else 40
        long = random.choice(LETTERS) * (many + random.choice((-1, 0, 1, 1, 500)))
        return random.choice((long, "orders", random.choice(ODD)))
    if pa.types.is_timestamp(kind):
        return random.choice((FIRST, FIRST - LEAP, AT, LAST, LAST + 2 * LEAP, datetime.max.replace(tzinfo=UTC), EPOCH))
    numbers = [*EDGES, _units(AT, 1), _units(AT, 1_000), _units(AT, 1_000_000), _units(AT, 1_000_000) * 1000]
    if isinstance(bound, Numbers):
        numbers += [bound.low - 1, bound.low, bound.high, bound.high + 1] * 6
    number = random.choice(numbers)
    if pa.types.is_floating(kind):
        return random.choice((float(number), math.nan, math.inf, -math.inf, 0.25))
    return number


@pytest.mark.parametrize("table", raw_schemas())
def test_a_value_is_stored_as_it_came_or_is_null_and_counted(table: str, counted: Callable[[], None]) -> None:
    schema, found = raw_schemas()[table], bounds(table)
    for _number, random in randoms(20):
        counted()
        chosen = random.sample(schema.names[2:], min(4, len(schema.names) - 2))
        good: dict[str, Any] = dict.fromkeys(schema.names[2:])
        good |= {name: KEY[type(found[name])] for name in keys(table)}
        rows = [
            good | {name: made(random, found[name], schema.field(name).type) for name in chosen} for _row in range(ROWS)
        ]
        stored, refused = validated_rows(table, rows, "payments-eu", AT)

        expected, counts = [], Counter[tuple[str, bool]]()
        for row in rows:
            bad = [
                name
                for name, value in row.items()
                if value is not None and not within(found[name], schema.field(name).type, value)
            ]
            own = [name for name in bad if isinstance(found[name], Text) and found[name].own and _characters(row[name])]
            lost = [name for name in bad if name in keys(table)]
            counts.update((name, True) for name in lost)
            if lost:
                continue
            counts.update((name, False) for name in bad if name not in own)
            cut = {name: row[name][: found[name].longest - 1] + "\u2026" for name in own}
            expected.append({"cluster": "payments-eu", "sweep_at": AT, **row, **dict.fromkeys(bad), **cut})
        assert stored.schema.equals(schema)
        assert repr(stored.to_pylist()) == repr(_typed(expected, schema)), (table, rows)
        assert counts == Counter({(one.column, one.rows): 0 for one in refused}) + sum(
            (Counter({(one.column, one.rows): one.number}) for one in refused), Counter()
        )
        assert all(one.table == table and one.number > 0 for one in refused)


def _characters(text: str) -> bool:
    return not any("\ud800" <= one <= "\udfff" for one in text)


def _typed(rows: list[dict[str, Any]], schema: pa.Schema) -> list[dict[str, Any]]:
    """The rows as Arrow gives them back."""
    found: list[dict[str, Any]] = pa.Table.from_pylist(rows, schema=schema).to_pylist()
    return found
