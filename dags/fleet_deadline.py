"""No letter by six: what Airflow calls when a run of fleet_health takes too long, and what fleet_collect looks at."""

import logging
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import DeadlineAlert, DeadlineReference, SyncCallback

import fleet_metrics
from fleet_alert import tell_owners, tell_what_waits
from fleet_settings import home

log = logging.getLogger(__name__)
HOURS = float(os.environ.get("KAFKA_FLEET_DEADLINE_HOURS", "6"))  # after the run was queued, at midnight; 0: no alert


def alerts() -> list[DeadlineAlert]:
    """The DAG's deadlines."""
    if HOURS <= 0:
        return []
    callback = SyncCallback("fleet_deadline.no_letter")
    return [DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, timedelta(hours=HOURS), callback)]


def no_letter(context: Mapping[str, Any]) -> None:
    """Tell the log, the metrics and the platform's owners. context: as Airflow hands it to a deadline's callback.

    A run that has ended is late all the same where the letters of its day are not out.
    """
    from kafka_fleet.report.late import lateness

    run = context["dag_run"]
    name, ended = run["dag_run_id"], run.get("end_date")
    scheduled = run["run_type"] == "scheduled"
    ds = str(run["logical_date"])[:10] if scheduled else None  # of another run nobody knows a day, nor waits for it
    late = lateness(home(), ds) if ds else None
    if ended and late is None:  # Airflow forgets the deadlines of runs that succeed, and not of those that fail
        log.info("%s has ended, as %s, in time", name, run.get("state"))
        return
    how = f"has ended as {run.get('state')}" if ended else f"has not ended after {HOURS:g} hours"
    sentence = f"no letters yet: the run {name} of fleet_health {how}"
    fleet_metrics.deadline_missed(run["run_type"])
    if ds is None:  # the runs of a backfill are queued all at once, and take their time
        log.error("%s", sentence)
        return
    why = [f"{late.sentence[:1].upper()}{late.sentence[1:]}."] if late else []
    tell_owners(ds, "late", sentence, why, late.reason if late else "unjudged")


def look_after_letters() -> None:
    """Tell the platform's owners when the letters of the newest day that is due are not out. Raises Untold.

    Whatever fleet_health does: it may be paused, or its file broken. And what no mail server took is offered again.
    """
    from kafka_fleet.report.late import day_due, lateness

    if HOURS > 0:
        ds = day_due(datetime.now(UTC), HOURS)
        late = lateness(home(), ds)
        fleet_metrics.late(late is not None)
        if late:
            tell_owners(ds, "late", late.sentence, about=late.reason)
        else:
            log.info("%s: nothing is late", ds)
    tell_what_waits()
