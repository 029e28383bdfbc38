"""The alert "no letter by six": what Airflow calls when a run of fleet_health takes too long, and whom it tells."""

import logging
import os
from collections.abc import Mapping
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from typing import Any

from airflow.sdk import BaseHook, DeadlineAlert, DeadlineReference, SyncCallback

import fleet_metrics

log = logging.getLogger(__name__)
HOURS = float(os.environ.get("KAFKA_FLEET_DEADLINE_HOURS", "6"))  # after the run was queued, at midnight; 0: no alert
OWNERS = "KAFKA_FLEET_PLATFORM_OWNERS"  # mail addresses with commas between them


def alerts() -> list[DeadlineAlert]:
    """The DAG's deadlines."""
    if HOURS <= 0:
        return []
    callback = SyncCallback("fleet_deadline.no_letter")
    return [DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, timedelta(hours=HOURS), callback)]


def no_letter(context: Mapping[str, Any]) -> None:
    """Tell the log, the metrics and the platform's owners. context: as Airflow hands it to a deadline's callback."""
    run = context["dag_run"]
    if run.get("end_date"):  # Airflow forgets the deadlines of runs that succeed, and not of those that fail
        log.info("%s has ended, as %s, in time", run["dag_run_id"], run.get("state"))
        return
    sentence = f"no letters yet: the run {run['dag_run_id']} of fleet_health has not ended after {HOURS:g} hours"
    log.error("%s", sentence)
    fleet_metrics.deadline_missed(run["run_type"])
    owners = [address.strip() for address in os.environ.get(OWNERS, "").split(",") if address.strip()]
    if run["run_type"] == "scheduled" and owners:  # the runs of a backfill are queued all at once, and take their time
        _mail(owners, sentence)


def _mail(owners: list[str], sentence: str) -> None:
    from kafka_fleet.report.headers import ADDRESS, one_line
    from kafka_fleet.report.smtp import SmtpSession
    from kafka_fleet.report.smtp_settings import from_airflow_connection

    settings = from_airflow_connection(BaseHook.get_connection("smtp_default"))
    message = EmailMessage(policy=SMTP)
    message["From"] = settings.from_email
    message["To"] = ", ".join(address for address in owners if ADDRESS.fullmatch(address))
    message["Subject"] = one_line(f"Kafka Fleet Health: {sentence}")
    message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=settings.message_id_domain)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(f"{sentence[:1].upper()}{sentence[1:]}.\n\nIts tasks and their logs are in Airflow.\n")
    with SmtpSession(settings) as session:
        for address in owners:
            if not ADDRESS.fullmatch(address):
                log.error("%s: %r is no mail address", OWNERS, address[:80])
                continue
            outcome = session.send(address, message.as_bytes())
            log.info("%s: %s %s", address, outcome.verdict, outcome.reason)
