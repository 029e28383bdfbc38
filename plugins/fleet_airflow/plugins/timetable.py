"""The timetable of fleet_health as a plugin of Airflow, apart from the page: the scheduler needs no web framework."""

from typing import ClassVar

from airflow.plugins_manager import AirflowPlugin
from airflow.timetables.base import Timetable

from fleet_airflow.timetable import DailyWithMissedDays


class FleetTimetable(AirflowPlugin):
    """Makes the timetable known to the scheduler; a plugin of its own, which needs nothing of the page's."""

    name = "fleet_timetable"
    timetables: ClassVar[list[type[Timetable]]] = [DailyWithMissedDays]
