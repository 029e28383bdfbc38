"""No letter by six: what Airflow calls when a run of fleet_health takes too long, and what fleet_collect looks at."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk.definitions.callback import SyncCallback
from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference
from airflow.sdk.exceptions import AirflowFailException

from fleet_airflow import metrics
from fleet_airflow.alerts import tell_owners, tell_what_waits
from fleet_airflow.settings import home

log = logging.getLogger(__name__)


def due_after() -> tuple[float, str]:
    """Hours after midnight, when a run is queued, and what is wrong with the setting: then they are the default.

    A setting that is no number would else take both DAGs away, and with them the word that letters are late.
    """
    from kafka_fleet.base.errors import UsageError
    from kafka_fleet.mail.deadline import DEFAULT_HOURS, deadline_hours

    try:
        return deadline_hours(), ""
    except UsageError as error:
        return DEFAULT_HOURS, f"{error}; until it is one, {DEFAULT_HOURS:g} counts"


def alerts() -> list[DeadlineAlert]:
    """The DAG's deadlines."""
    hours, _wrong = due_after()
    if hours <= 0:
        return []
    callback = SyncCallback("fleet_airflow.deadline.no_letter")
    return [DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, timedelta(hours=hours), callback)]


def no_letter(context: Mapping[str, Any]) -> None:
    """Tell the log, the metrics and the platform's owners. context: as Airflow hands it to a deadline's callback.

    A run that has ended is late all the same where the letters of its day are not out; where they are, one that goes on
    is not.
    """
    from kafka_fleet.mail.lateness import lateness

    run = context["dag_run"]
    name, ended = run["dag_run_id"], run.get("end_date")
    scheduled = run["run_type"] == "scheduled"
    ds = str(run["logical_date"])[:10] if scheduled else None  # of another run nobody knows a day, nor waits for it
    late = lateness(home(), ds) if ds else None
    if late is None and (ended or ds):  # Airflow forgets the deadlines of runs that succeed, and not of those that fail
        log.info("%s: the letters are out in time; the run is %s", name, run.get("state"))
        return
    how = f"has ended as {run.get('state')}" if ended else f"has not ended after {due_after()[0]:g} hours"
    sentence = f"no letters yet: the run {name} of fleet_health {how}"
    metrics.deadline_missed(run["run_type"])
    if ds is None:  # the runs of a backfill are queued all at once, and take their time
        log.error("%s", sentence)
        return
    why = [f"{late.sentence[:1].upper()}{late.sentence[1:]}."] if late else []
    tell_owners(ds, "late", sentence, why, late.reason if late else "unjudged")


def look_after_letters() -> None:
    """Tell the platform's owners when the letters of the newest day that is due are not out. Raises Untold.

    Whatever fleet_health does: it may be paused, or its file broken. And what no mail server took is offered again.
    Fails in the end where the deadline is set to what is no number.
    """
    from kafka_fleet.mail.deadline import day_due
    from kafka_fleet.mail.lateness import lateness

    hours, wrong = due_after()
    if hours > 0:
        ds = day_due(datetime.now(UTC), hours)
        late = lateness(home(), ds)
        metrics.late(late is not None)
        if late:
            tell_owners(ds, "late", late.sentence, about=late.reason)
        else:
            log.info("%s: nothing is late", ds)
    tell_what_waits()
    if wrong:
        raise AirflowFailException(wrong)
