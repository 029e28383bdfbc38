"""What time it is, for those who delete what is old: takes a home and the clock, gives a moment that has passed.

A clock that is set ahead makes everything look old at once. What is stored tells of it: sweeps come every few minutes,
and a clock that jumped leaves a hole between two of them, or after the last. The longest hole of late is taken off,
whether it was a jump or a collector that was off, until the sweeps of a whole day came after it.
"""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from kafka_fleet.store import bucket
from kafka_fleet.store.raw.days import sweep_minutes

DAY_SECONDS = 24 * 3600
FAR_SECONDS = 2 * DAY_SECONDS


class Trusted(NamedTuple):
    """now: seconds since 1970. doubt: why nothing is to be deleted by age; None where nothing speaks against it."""

    now: float
    doubt: str | None


def trusted_time(home: Path, clock: float | None = None) -> Trusted:
    """The time by the clock and by the stored sweeps. Without a day of sweeps it is 1970: nothing is old."""
    clock = time.time() if clock is None else clock
    hole, last, newest = 0.0, clock, None
    for moment in sweep_minutes(home):
        if moment > clock:
            continue  # of a clock that was ahead, and is right again
        newest = moment if newest is None else newest
        hole, last = max(hole, last - moment), moment
        if clock - last - hole >= DAY_SECONDS:
            break
    else:
        hole = clock
    if newest is None or clock - newest <= FAR_SECONDS:
        return Trusted(clock - hole, None)
    return Trusted(
        clock - hole,
        f"nothing is deleted: the clock says {_said(clock)}, and the last sweep is of {_said(newest)}",
    )


def changed_at(path: Path) -> float:
    """When a file or its name was last changed, in seconds since 1970; of a copy that kept its dates, when it came."""
    found = path.stat() if bucket.is_bucket_path(path) else path.lstat()
    return found.st_mtime if bucket.is_bucket_path(path) else max(found.st_mtime, found.st_ctime)


def _said(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"
