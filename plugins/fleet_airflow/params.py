"""What a run is asked for: takes its parameters, gives the day and the names, or fails the task with a sentence."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from airflow.sdk.exceptions import AirflowFailException


def day_of(param: str | None, logical_date: datetime | None) -> str:
    """The day to judge: the parameter, else the date of the logical date in UTC, else a failure with a sentence.

    Never the data interval: a manual run infers another interval than the scheduled run of the same day.
    """
    if param is not None:
        try:
            return date.fromisoformat(param).isoformat()
        except ValueError:
            raise AirflowFailException(f"ds is {param!r}: a day is written YYYY-MM-DD") from None
    if logical_date is None:
        raise AirflowFailException("This run has no logical date: say which day to judge with the parameter ds.")
    return logical_date.astimezone(UTC).date().isoformat()


def selected(wanted: Sequence[str] | None, known: Sequence[str], what: str) -> list[str]:
    """The wanted names in the order of the known ones; all when none are asked for. Unknown names fail the task."""
    unknown = sorted(set(wanted or ()) - set(known))
    if unknown:
        raise AirflowFailException(f"no such {what}: {', '.join(unknown)}; known: {', '.join(known)}")
    return [name for name in known if not wanted or name in wanted]
