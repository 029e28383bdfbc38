"""When letters are due: takes the environment and a time, gives hours after midnight, and the day due by then."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from kafka_fleet.settings import Settings, read_settings, variable

HOURS = variable("deadline_hours")
DEFAULT_HOURS: float = Settings.model_fields["deadline_hours"].default


def deadline_hours(environ: Mapping[str, str] | None = None) -> float:
    """Hours after the end of a day by which its letters are out. Raises UsageError."""
    return read_settings("deadline_hours", environ=environ).deadline_hours


def day_due(now: datetime, hours: float) -> str:
    """The newest day whose letters must be out by now. now: in UTC."""
    return ((now - timedelta(hours=hours)).date() - timedelta(days=1)).isoformat()
