"""When days are judged: each day once, at its end; those that were missed as soon as Airflow is back, oldest first."""

from datetime import timedelta
from typing import Any

from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction, Timetable
from airflow.timetables.interval import CronDataIntervalTimetable


class DailyWithMissedDays(CronDataIntervalTimetable):
    """`CronDataIntervalTimetable("@daily", "UTC")` that makes the runs of missed days up, without Airflow's `catchup`.

    `catchup=True` would judge every day since the start date when the DAG is first unpaused; `catchup=False` forgets
    the days on which the scheduler was down or the DAG paused. Here the first run of all is that of the last whole
    day. Later ones follow the last automated run, and begin at most `missed_days` days before the last whole day.
    """

    def __init__(self, missed_days: int) -> None:
        super().__init__("0 0 * * *", timezone="UTC")
        self.missed_days = missed_days

    def serialize(self) -> dict[str, Any]:
        """What the scheduler gets: Airflow stores it with the DAG."""
        return {"missed_days": self.missed_days}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Timetable:
        """The other way round."""
        return cls(data["missed_days"])

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """The run after the last one; see the class."""
        if last_automated_data_interval is not None and not restriction.catchup:
            newest = self._skip_to_latest(restriction.earliest)
            oldest = max(filter(None, (newest - timedelta(days=self.missed_days), restriction.earliest)))
            restriction = TimeRestriction(oldest, restriction.latest, catchup=True)
        return super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction
        )
