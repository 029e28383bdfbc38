"""One mail from a task, a letter or a digest: takes the run's plan, sends what the outbox says is due, tells of it."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook, get_current_context
from airflow.sdk.exceptions import (
    AirflowException,
    AirflowFailException,
    AirflowNotFoundException,
    AirflowSkipException,
)

from fleet_airflow import metrics
from fleet_airflow.notifying import Outcome, notify_one
from fleet_airflow.run_plan import run_type
from fleet_airflow.settings import acknowledged, home

if TYPE_CHECKING:
    from kafka_fleet.mail.delivery import DeliveryResult

log = logging.getLogger(__name__)
_WORST = ("later", "failed", "sent", "skipped")  # what decides of a task of several
MAIL_RETRIES = 4
MAIL_RETRY_DELAY = timedelta(minutes=15)  # beyond the outbox's lease, so that a lost answer is looked at again


def should_mail(notify: str, kind: str) -> bool:
    """`auto` mails for scheduled runs only: a backfill or a manual run must not surprise an owner."""
    return notify == "always" or (notify == "auto" and kind == "scheduled")


def note_all_mailed(plan: Mapping[str, Any]) -> None:
    """After all mails: remember that they are out. A run that mailed nobody, or for some clusters, says nothing."""
    from kafka_fleet.mail.mailing_status import note_mailed

    context = get_current_context()
    if should_mail(context["params"]["notify"], run_type(context)) and not context["params"]["clusters"]:
        note_mailed(home(), plan["ds"], plan["generation"])


def mail_one(cluster: str, owners: Sequence[str] | None, plan: Mapping[str, Any]) -> Outcome:
    """Mail one letter, never through a templated operator field. The log has a line of it, whatever comes of it.

    owners: None where the fleet file has no such cluster. plan: what the run's `coverage` settled.
    """
    letter = _told(cluster, lambda: _mailed(cluster, owners, plan))
    others = notify_one(cluster, plan, _why_not(cluster, plan))
    if not others:
        return letter
    all_of_it = [letter, *others]
    worst = min(all_of_it, key=lambda one: _WORST.index(one.state))
    return Outcome(worst.state, "; ".join(one.sentence for one in all_of_it if one.state == worst.state))


def digest_one(owner: str, clusters: Sequence[str], plan: Mapping[str, Any]) -> Outcome:
    """Mail the digest of an owner of these clusters, in the same way."""
    return _told(owner, lambda: _digest(owner, clusters, plan))


def finish_mail_task(outcomes: Sequence[Outcome]) -> None:
    """End a task as its mails did: retried where another try may do, else failed; skipped where none was due."""
    told = "; ".join(one.sentence for one in outcomes if one.state in ("failed", "later"))
    if any(one.state == "later" for one in outcomes):
        raise AirflowException(told)
    if told:
        raise AirflowFailException(told)
    if all(one.state == "skipped" for one in outcomes):
        raise AirflowSkipException("; ".join(one.sentence for one in outcomes))


def _told(name: str, mailed: Callable[[], Outcome]) -> Outcome:
    from kafka_fleet.mail.dispatch import LetterError
    from kafka_fleet.mail.smtp_settings import SmtpSettingsError

    try:
        outcome = mailed()
    except AirflowNotFoundException:
        outcome = Outcome("failed", "Airflow has no connection smtp_default, through which letters go")
    except (LetterError, SmtpSettingsError) as error:
        outcome = Outcome("failed", f"{name}: {error}")
    except Exception as error:  # such as a full disk: it must not cost the neighbours their letters
        log.exception("%s: its letter could not be mailed", name)
        outcome = Outcome("later", f"{name}: {error}")
    log.info("%s", outcome.sentence)
    metrics.letter(outcome.state)
    return outcome


def _mailed(cluster: str, owners: Sequence[str] | None, plan: Mapping[str, Any]) -> Outcome:
    from kafka_fleet.mail.dispatch import mail_letter
    from kafka_fleet.store.home import Home

    folder = home()
    if not Home(folder).generation(plan["ds"], plan["generation"]).letter(cluster, "html").is_file():
        return Outcome("failed", f"{cluster}: {plan['ds']} has no letter to mail; see its render task")
    if cluster not in plan["clusters"]:
        return Outcome("skipped", f"{cluster}: not mailed: this run was not asked for it, or its entry is invalid")
    if owners == []:
        return Outcome("skipped", f"{cluster}: not mailed: all its owners get digests")
    return _sent(cluster, partial(mail_letter, folder, plan["ds"], cluster, owners), plan)


def _digest(owner: str, clusters: Sequence[str], plan: Mapping[str, Any]) -> Outcome:
    from kafka_fleet.mail.digest import mail_digest

    if not set(clusters) & set(plan["clusters"]):
        return Outcome("skipped", f"{owner}: no digest: this run was asked for none of their clusters")
    return _sent(owner, partial(mail_digest, home(), plan["ds"], owner, clusters), plan)


def _why_not(name: str, plan: Mapping[str, Any]) -> str:
    """Why this run tells nobody of anything; empty where it does."""
    context = get_current_context()
    notify, kind = context["params"]["notify"], run_type(context)
    if not should_mail(notify, kind):
        return f"{name}: not mailed: notify is {notify}, the run is {kind}"
    if notify == "auto" and plan.get("late"):
        return f"{name}: not mailed: {plan['ds']} is judged late; the next letter says so"
    return ""


def _sent(name: str, send: Callable[..., "DeliveryResult"], plan: Mapping[str, Any]) -> Outcome:
    from kafka_fleet.mail.smtp_settings import from_airflow_connection

    if why := _why_not(name, plan):
        return Outcome("skipped", why)
    beside = {"generation": plan["generation"], "acknowledged": acknowledged()}
    result = send(smtp=None, dry_run=True, **beside)
    if result.due:
        settings = from_airflow_connection(BaseHook.get_connection("smtp_default"))
        result = send(smtp=settings, **beside)
    if result.unchanged_since:
        return Outcome("skipped", result.summary())
    state = "sent" if result.ok else "later" if result.retryable else "failed"
    return Outcome(state, result.summary())
