"""What a column may hold: kinds of bounds, each of which finds the values of an Arrow column that are outside of it.

Which column has which is in column_bounds.py, what becomes of a value outside in bounded.py.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)  # before Kafka and its agents
AHEAD = timedelta(days=3653)  # ten years: a clock that is so far ahead shows in its skew, other units are far beyond


class Bound(Protocol):
    """What the values of one column may be; null always may."""

    @property
    def words(self) -> str:
        """For the pages of the raw tables."""

    def outside(self, values: pa.ChunkedArray, sweep_at: datetime) -> pa.ChunkedArray | None:
        """Where values are outside, as booleans without null; None where none is. sweep_at: start of their sweep."""


def _any(outside: pa.ChunkedArray) -> pa.ChunkedArray | None:
    filled = pc.fill_null(outside, False)
    return filled if pc.any(filled).as_py() else None


def _beyond(values: pa.ChunkedArray, low: float, high: float) -> pa.ChunkedArray | None:
    """Where numbers are not from low to high; NaN is not."""
    kind = values.type
    if pa.types.is_floating(kind):
        low, high = float(low), float(high)
    else:
        limit = 2 ** (kind.bit_width - 1)
        low, high = max(low, -limit), min(high, limit - 1)
    least, most = pa.scalar(low, kind), pa.scalar(high, kind)
    return _any(pc.invert(pc.and_(pc.greater_equal(values, least), pc.less_equal(values, most))))


@dataclass(frozen=True)
class Numbers:
    """Whole numbers or fractions from low to high."""

    low: int
    high: int

    @property
    def words(self) -> str:
        """As Bound."""
        return f"{self.low:,} to {self.high:,}"

    def outside(self, values: pa.ChunkedArray, sweep_at: datetime) -> pa.ChunkedArray | None:
        """As Bound."""
        return _beyond(values, self.low, self.high)


@dataclass(frozen=True)
class Moments:
    """Times, as timestamps or as whole numbers since 1970: from 2000 to ten years after the sweep.

    per_second: units of a second. none: -1 says that there is no time.
    """

    per_second: int
    none: bool = False

    @property
    def words(self) -> str:
        """As Bound."""
        return "2000 to ten years after the sweep" + (", or -1" if self.none else "")

    def outside(self, values: pa.ChunkedArray, sweep_at: datetime) -> pa.ChunkedArray | None:
        """As Bound."""
        numbers = values.cast(pa.int64()) if pa.types.is_timestamp(values.type) else values
        low, high = (
            (at - EPOCH) // timedelta(microseconds=1_000_000 // self.per_second)
            for at in (EARLIEST, sweep_at.astimezone(UTC) + AHEAD)
        )
        beyond = _beyond(numbers, low, high)
        if beyond is None or not self.none:
            return beyond
        return _any(pc.and_(beyond, pc.not_equal(numbers, -1)))


@dataclass(frozen=True)
class Text:
    """Text of at most so many characters. own: a sentence of this program, which is cut there and not lost."""

    longest: int
    own: bool = False

    @property
    def words(self) -> str:
        """As Bound."""
        return f"{'cut to' if self.own else 'at most'} {self.longest:,} characters"

    def outside(self, values: pa.ChunkedArray, sweep_at: datetime) -> pa.ChunkedArray | None:
        """As Bound."""
        longest = pc.max(pc.binary_length(values)).as_py()  # bytes: no text has more characters than these
        return _any(pc.greater(pc.utf8_length(values), self.longest)) if (longest or 0) > self.longest else None

    def cut(self, values: pa.ChunkedArray) -> pa.ChunkedArray:
        """The texts, what is too long ending in an ellipsis."""
        short = pc.binary_join_element_wise(pc.utf8_slice_codeunits(values, 0, self.longest - 1), "…", "")
        return pc.if_else(pc.greater(pc.utf8_length(values), self.longest), short, values)


@dataclass(frozen=True)
class Items:
    """Lists of at most so many, each of them within a bound of its own, and none of them null."""

    most: int
    each: Numbers | Text

    @property
    def words(self) -> str:
        """As Bound."""
        return f"at most {self.most:,}, each {self.each.words}"

    def outside(self, values: pa.ChunkedArray, sweep_at: datetime) -> pa.ChunkedArray | None:
        """As Bound."""
        lists = pa.array([], values.type) if not values.num_chunks else values.combine_chunks()
        found = [pc.fill_null(pc.greater(pc.list_value_length(lists), self.most), False)]
        flat = pa.chunked_array([pc.list_flatten(lists)])
        wrong = [pc.is_null(flat)] if flat.null_count else []
        beyond = self.each.outside(flat, sweep_at)
        for items in (*wrong, *([beyond] if beyond is not None else [])):
            rows = pc.list_parent_indices(lists).filter(items.combine_chunks())
            found.append(pc.is_in(pa.array(range(len(lists)), rows.type), rows))
        return _any(pa.chunked_array([reduce(pc.or_, found)]))


@dataclass(frozen=True)
class Flag:
    """True or false: the type is the bound."""

    words: str = "true or false"

    def outside(self, values: pa.ChunkedArray, sweep_at: datetime) -> pa.ChunkedArray | None:
        """As Bound."""
        return None
