"""One cluster's mail from a task: takes the run's plan, sends what is due by the outbox, says what came of it."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from airflow.sdk import BaseHook, get_current_context
from airflow.sdk.exceptions import AirflowNotFoundException

import fleet_metrics
from fleet_settings import acknowledged, home

log = logging.getLogger(__name__)


def should_mail(notify: str, run_type: str) -> bool:
    """`auto` mails for scheduled runs only: a backfill or a manual run must not surprise an owner."""
    return notify == "always" or (notify == "auto" and run_type == "scheduled")


class Outcome(NamedTuple):
    """What came of one cluster's mail. state: sent | skipped | later (another try may do) | failed."""

    state: str
    sentence: str


def mail_one(cluster: str, owners: Sequence[str] | None, plan: Mapping[str, Any]) -> Outcome:
    """Mail one letter, never through a templated operator field. The log has a line of it, whatever comes of it.

    owners: None where the fleet file has no such cluster. plan: what the run's `coverage` settled.
    """
    from kafka_fleet.report.dispatch import LetterError
    from kafka_fleet.report.smtp_settings import SmtpSettingsError

    try:
        outcome = _mailed(cluster, owners, plan)
    except AirflowNotFoundException:
        outcome = Outcome("failed", "Airflow has no connection smtp_default, through which letters go")
    except (LetterError, SmtpSettingsError) as error:
        outcome = Outcome("failed", f"{cluster}: {error}")
    except Exception as error:  # such as a full disk: it must not cost the neighbours their letters
        log.exception("%s: its letter could not be mailed", cluster)
        outcome = Outcome("later", f"{cluster}: {error}")
    log.info("%s", outcome.sentence)
    fleet_metrics.letter(outcome.state)
    return outcome


def _mailed(cluster: str, owners: Sequence[str] | None, plan: Mapping[str, Any]) -> Outcome:
    from kafka_fleet.report.dispatch import mail_letter
    from kafka_fleet.report.smtp_settings import from_airflow_connection

    context = get_current_context()
    notify, run_type = context["params"]["notify"], str(getattr(context["dag_run"].run_type, "value", ""))
    folder = home()
    if not (folder / f"reports/ds={plan['ds']}/{plan['generation']}/{cluster}.html").is_file():
        return Outcome("failed", f"{cluster}: {plan['ds']} has no letter to mail; see its render task")
    if cluster not in plan["clusters"]:
        return Outcome("skipped", f"{cluster}: not mailed: this run was not asked for it, or its entry is invalid")
    if not should_mail(notify, run_type):
        return Outcome("skipped", f"{cluster}: not mailed: notify is {notify}, the run is {run_type}")
    letter = (folder, plan["ds"], cluster, owners)
    beside = {"generation": plan["generation"], "acknowledged": acknowledged()}
    result = mail_letter(*letter, smtp=None, dry_run=True, **beside)
    if result.due:
        settings = from_airflow_connection(BaseHook.get_connection("smtp_default"))
        result = mail_letter(*letter, settings, **beside)
    if result.unchanged_since:
        return Outcome("skipped", result.summary())
    state = "sent" if result.ok else "later" if result.retryable else "failed"
    return Outcome(state, result.summary())
