"""A day and its last sweep: whether it may still come, and which day is judged again because it came later still."""

import logging
from datetime import UTC, date, datetime, timedelta
from typing import Any

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import BaseSensorOperator
from airflow.sdk.exceptions import AirflowSkipException

from fleet_airflow.params import day_of
from fleet_airflow.run_plan import run_type, this_plan
from fleet_airflow.settings import LAST_SWEEP_WAIT, SWEEPS_EVERY, home

log = logging.getLogger(__name__)
DAY_SECONDS = 24 * 3600
LAST_RUNS = 6  # of fleet_collect that a day waits for: one runs at a time, and takes LAST_SWEEP_WAIT at the most


class LastSweepIsIn(BaseSensorOperator):
    """Waits, without holding a slot, until no run of fleet_collect of the day is under way, or its time is over.

    Where there is none, since sweeps are collected by other means or the day is long past, nothing is waited for.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"mode": "reschedule", "poke_interval": 60, "timeout": 2 * DAY_SECONDS, **options})

    def poke(self, context: Any) -> bool:
        """Ask Airflow for the last runs of the day."""
        ds = day_of(context["params"]["ds"], context.get("logical_date"))
        end = datetime.combine(date.fromisoformat(ds), datetime.min.time(), UTC) + timedelta(days=1)
        if datetime.now(UTC) >= end + LAST_SWEEP_WAIT:
            log.info("%s: the time for its last sweep is over", ds)
            return True
        last = [end - (back + 1) * SWEEPS_EVERY for back in range(LAST_RUNS)]
        under_way: int = context["ti"].get_dr_count("fleet_collect", logical_dates=last, states=["queued", "running"])
        log.info("%s: %d runs of fleet_collect are under way", ds, under_way)
        return under_way == 0


class JudgeDayBeforeAgain(TriggerDagRunOperator):
    """Triggers a run for the day before where sweeps of it landed after it was judged; else it is skipped.

    That run mails, as "Revised: ...", where findings changed; it sends nothing to owners who got no letter of the day.
    """

    def execute(self, context: Any) -> None:
        """Look at the names of what is stored, and at the published day."""
        from kafka_fleet.store.generations import noted_run
        from kafka_fleet.store.raw.late_sweeps import unread_sweeps

        before = (date.fromisoformat(this_plan()["ds"]) - timedelta(days=1)).isoformat()
        found = unread_sweeps(home(), before) if run_type(context) == "scheduled" else None
        if found is None or not found.clusters:
            why = "has all its sweeps" if found else "is not judged, or this run is no scheduled one"
            log.info("%s is left as it is: it %s", before, why)
            raise AirflowSkipException
        for cluster, (stored, read) in found.clusters.items():
            log.info("%s: %s is judged with %d of %d sweeps", cluster, before, read, stored)
        told = not noted_run(home(), before, found.generation).get("late", False)
        self.conf = {"ds": before, "notify": "always" if told else "never"}
        self.trigger_run_id = f"late_sweeps__{before}__after_{found.generation}"
        super().execute(context)
