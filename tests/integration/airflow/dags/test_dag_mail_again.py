"""Mails whose answer was lost: the task's own retries look at them again, once the outbox lets go of the claim."""

from datetime import datetime, timedelta

import pytest
from airflow.sdk import get_current_context

from kafka_fleet.mail.delivery import LEASE
from kafka_fleet.mail.smtp_settings import SmtpSettings
from support.airflow_runs.dag_runs import ARCHIVE, GONE, PAYMENTS
from support.servers.mail_server import Mailbox

pytestmark = pytest.mark.sampled
LONGEST = 6 * timedelta(seconds=600)  # the lease of a mail server that is given the longest time for each step


class SilentOnce(Mailbox):
    """Hangs up on the first mail to ARCHIVE once all of it is there, and keeps it without an answer."""

    silent = True

    async def handle_DATA(self, server, session, envelope):
        answer = await super().handle_DATA(server, session, envelope)
        if self.silent and envelope.rcpt_tos == [ARCHIVE]:
            self.silent = False
            server.transport.abort()
        return answer


@pytest.fixture
def box():
    return SilentOnce()


def retries(task):
    own = task.partial_kwargs if task.is_mapped else vars(task)
    return own["retries"], own["retry_delay"]


@pytest.mark.parametrize("task", ["mail", "digest"])
@pytest.mark.fault(52)
def test_a_lost_answer_is_looked_at_again_by_the_tasks_own_retry(bag, request, box, monkeypatch, task):
    """Each try finds the clock as far on as the task's retries are apart, and the next one is not begun before."""
    _times, apart = retries(bag.dags["fleet_health"].get_task(task))
    run = request.getfixturevalue("run")  # its retries are a second apart
    run.land()
    monkeypatch.setenv("KAFKA_FLEET_DIGESTS", ARCHIVE if task == "digest" else "")

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + (get_current_context()["ti"].try_number - 1) * apart

    monkeypatch.setattr("kafka_fleet.mail.delivery.datetime", Clock)
    seen = run()
    label = "archive-eu" if task == "mail" else None
    assert (seen.tasks[(task, label)], seen.tries[(task, label)]) == ("success", 2)
    assert sorted(seen.mailed) == [ARCHIVE, ARCHIVE, GONE, PAYMENTS]
    assert len({message["Message-ID"] for to, message in box.received if to == ARCHIVE}) == 1
    assert seen.state == "success"


@pytest.mark.parametrize("task", ["mail", "digest"])
def test_retries_are_further_apart_than_a_claim_holds_and_last_longer_than_any(bag, task):
    times, apart = retries(bag.dags["fleet_health"].get_task(task))
    assert apart > LEASE
    assert times * apart >= LONGEST
    SmtpSettings("smtp.example.org", 25, "fleet@example.org", timeout=LONGEST.total_seconds() / 6)
    with pytest.raises(ValueError, match="timeout"):
        SmtpSettings("smtp.example.org", 25, "fleet@example.org", timeout=LONGEST.total_seconds() / 6 + 1)


@pytest.mark.parametrize("task", ["mail", "digest"])
def test_what_a_busy_mail_server_puts_off_goes_out_by_a_retry(run, box, monkeypatch, task):
    run.land()
    box.silent = False
    monkeypatch.setenv("KAFKA_FLEET_DIGESTS", ARCHIVE if task == "digest" else "")
    busy = ["451 busy"] * 3
    box.on_data = lambda to: busy.pop() if to == ARCHIVE and busy else "250 kept"
    seen = run()
    label = "archive-eu" if task == "mail" else None
    assert (seen.state, seen.tasks[(task, label)], seen.tries[(task, label)]) == ("success", "success", 4)
    assert sorted(seen.mailed) == [ARCHIVE, GONE, PAYMENTS]
