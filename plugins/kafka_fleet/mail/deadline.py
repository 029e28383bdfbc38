"""When letters are due: takes the environment and a time, gives hours after midnight, and the day due by then."""

import os
import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from kafka_fleet.base.errors import UsageError

HOURS = "KAFKA_FLEET_DEADLINE_HOURS"  # after the end of the day, at midnight UTC; 0: no alert
DEFAULT_HOURS = 6.0


def deadline_hours(environ: Mapping[str, str] = os.environ) -> float:
    """Hours after the end of a day by which its letters are out. Raises UsageError."""
    text = environ.get(HOURS, f"{DEFAULT_HOURS:g}")
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text):
        raise UsageError(f"{HOURS} is {text[:20]!r}: it is a number of hours, 0 for none")
    return float(text)


def day_due(now: datetime, hours: float) -> str:
    """The newest day whose letters must be out by now. now: in UTC."""
    return ((now - timedelta(hours=hours)).date() - timedelta(days=1)).isoformat()
