"""The frame of a picture: takes the span of a day and the highest value, gives coordinates and labels of both axes."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from kafka_fleet.report.formatting import number

DAY = 86_400  # seconds
_STEPS = (10, 30, 60, 300, 600, 1800, 3600, 7200, 14_400)  # seconds between two labels of the time axis
_LABELS = 7


def round_axis_end(top: float) -> float:
    """The next round number: some digit times a power of ten; 1 of nothing, whose axis has to end somewhere too."""
    if top <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(top))
    return next(float(f"{step * power:.6g}") for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * power >= top * 0.999_999)


def clock_of(second: float) -> str:
    """`10:20` of a second of the day, `10:20:30` where it is no whole minute; the day's end is 24:00."""
    whole = max(0, min(DAY, round(second)))
    text = f"{whole // 3600:02}:{whole // 60 % 60:02}"
    return f"{text}:{whole % 60:02}" if whole % 60 else text


@dataclass(frozen=True)
class Frame:
    """A picture of width x height pixels whose drawing lies within left, top, right, bottom; seconds start to end."""

    start: float
    end: float
    top_value: float
    left: float = 64
    right: float = 714
    top: float = 8
    bottom: float = 158

    def x(self, second: float) -> float:
        """Pixels of a second of the day; what lies outside is put on the edge."""
        share = (min(max(second, self.start), self.end) - self.start) / (self.end - self.start)
        return round(self.left + (self.right - self.left) * share, 1)

    def y(self, value: float) -> float:
        """Pixels of a value; none is below the axis."""
        share = min(max(value, 0.0), self.top_value) / self.top_value
        return round(self.top + (self.bottom - self.top) * (1 - share), 1)

    @property
    def x_ticks(self) -> tuple[tuple[float, str], ...]:
        """Places and labels of the time axis."""
        step = next((one for one in _STEPS if (self.end - self.start) / one <= _LABELS), _STEPS[-1])
        first = math.ceil(self.start / step)
        return tuple((self.x(n * step), clock_of(n * step)) for n in range(first, math.floor(self.end / step) + 1))

    @property
    def y_ticks(self) -> tuple[tuple[float, str], ...]:
        """Places and labels of the values: none, half, all."""
        return tuple((self.y(value), number(value)) for value in (0, self.top_value / 2, self.top_value))


def span(seconds: Iterable[float]) -> tuple[float, float]:
    """The part of the day to show: all of it, or, where less than a quarter was measured, that and a little more."""
    known = [min(max(one, 0.0), float(DAY)) for one in seconds]
    first, last = (min(known), max(known)) if known else (0.0, float(DAY))
    if last - first >= DAY / 4 or not known:
        return 0.0, float(DAY)
    room = max(5.0, (last - first) / 20)
    return max(0.0, first - room), min(float(DAY), last + room)
