"""A word to the platform's owners from a task: takes a day and a sentence, which log and metrics have in any case."""

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowException, AirflowNotFoundException

from fleet_airflow import metrics
from fleet_airflow.params import day_of
from fleet_airflow.settings import home

if TYPE_CHECKING:
    from kafka_fleet.mail.delivery import SmtpSettings

log = logging.getLogger(__name__)
OWN_RUNS = ("scheduled", "operator_triggered")  # nobody looks at these; who starts another one does


class Untold(AirflowException):
    """The platform owners were not notified of everything; a retry may succeed."""


def tell_owners(ds: str, reason: str, title: str, lines: Sequence[str] = (), about: str = "") -> None:
    """Tell KAFKA_FLEET_PLATFORM_OWNERS once of a day and reason (kafka_fleet.mail.owner_alerts). Raises Untold."""
    from kafka_fleet.mail.owner_alerts import OWNERS, alert_owners, not_addresses, platform_owners

    log.error("%s", "; ".join([title, *lines]))
    metrics.alert(reason)
    for one in not_addresses():
        log.error("%s: %r is no mail address", OWNERS, one)
    owners = platform_owners()
    if not owners:
        log.warning("%s names nobody who could be told", OWNERS)
        return
    result = alert_owners(home(), ds, reason, title, lines, owners, smtp_settings(), about)
    log.info("%s", result.summary())
    if not result.ok:
        raise Untold(result.summary())


def tell_what_waits() -> None:
    """Offer again what no mail server has taken of earlier words. Raises Untold."""
    from kafka_fleet.mail.owner_alerts import has_unsent_alerts, resend_alerts

    today = datetime.now(UTC).date()
    results = resend_alerts(home(), today, smtp_settings()) if has_unsent_alerts(home(), today) else []
    for result in results:
        log.info("%s", result.summary())
    if told := "; ".join(result.summary() for result in results if not result.ok):
        raise Untold(told)


def tell_of_kept_raw(unjudged: Mapping[str, str]) -> None:
    """Tell of old raw that stays since its day is not judged, each time that a day is added. unjudged: why, by day."""
    from kafka_fleet.mail.owner_alerts import KEPT_RAW, kept_raw_words

    if unjudged:
        tell_owners(max(unjudged), KEPT_RAW, *kept_raw_words(unjudged))


def smtp_settings() -> "SmtpSettings":
    """The connection smtp_default. Raises Untold with its sentence where it is missing or cannot be used."""
    from kafka_fleet.mail.smtp_settings import SmtpSettingsError, from_airflow_connection

    try:
        return from_airflow_connection(BaseHook.get_connection("smtp_default"))
    except AirflowNotFoundException:
        raise Untold("Airflow has no connection smtp_default, through which letters go") from None
    except SmtpSettingsError as error:
        raise Untold(str(error)) from error


def run_failed(context: Mapping[str, Any]) -> None:
    """Failure callback of a task of fleet_health: the run of that day is red, whatever its other tasks do."""
    run, instance = context["dag_run"], context["task_instance"]
    if str(getattr(run.run_type, "value", run.run_type)) not in OWN_RUNS:
        return
    ds = _day(context)
    title = f"the run of fleet_health for {ds} has failed: {instance.task_id}"
    why = [f"{instance.task_id}: {context.get('exception')}", f"its run is {run.run_id}"]
    try:
        tell_owners(ds, "failed", title, why, run.run_id)
    except Untold as error:
        log.error("%s", error)
    except Exception:  # a full or missing home cannot record who was notified: notify all owners again
        log.exception("the home could not be used to tell the platform's owners")
        _tell_without_home(title, why)


def _day(context: Mapping[str, Any]) -> str:
    try:
        return day_of(context["params"]["ds"], context.get("logical_date"))
    except Exception:  # it is what the task has failed by
        return (datetime.now(UTC) - timedelta(days=1)).date().isoformat()


def _tell_without_home(title: str, lines: Sequence[str]) -> None:
    from kafka_fleet.base.text import one_line
    from kafka_fleet.mail.owner_alerts import platform_owners
    from kafka_fleet.mail.smtp import SmtpSession
    from kafka_fleet.report.sanitize import clean

    settings = smtp_settings()
    owners = platform_owners()
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = settings.from_email, ", ".join(owners)
    message["Subject"] = one_line(f"Kafka Fleet Health: {title}", 150)
    message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=settings.message_id_domain)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content("\n\n".join(clean([f"{one}." for one in (title, *lines)], 700)))
    with SmtpSession(settings) as session:
        for owner in owners:
            outcome = session.send(owner, message.as_bytes())
            log.info("%s: %s %s", owner, outcome.verdict, outcome.reason)
