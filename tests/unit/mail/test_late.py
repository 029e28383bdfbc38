"""`kafka-fleet late`: whether a day's letters are out, by the home alone."""

from datetime import UTC, datetime, timedelta

import pytest

from kafka_fleet.mail.deadline import HOURS, day_due
from kafka_fleet.mail.delivery import deliver
from kafka_fleet.mail.late_judgements import late_days
from kafka_fleet.mail.mailing_status import note_mailed
from kafka_fleet.mail.owner_alerts import OWNERS
from support.homes.watched_home import PLATFORM

pytestmark = pytest.mark.fault(70)

FIRST, SECOND, THIRD = "2026-11-18", "2026-11-19", "2026-11-20"


@pytest.mark.parametrize(
    ("now", "hours", "ds"),
    [
        ("2026-11-21T05:59:59", 6, SECOND),
        ("2026-11-21T06:00:00", 6, THIRD),
        ("2026-11-21T23:59:59", 6, THIRD),
        ("2026-11-21T00:00:00", 0.0, THIRD),
        ("2026-11-22T05:00:00", 30, SECOND),
    ],
)
def test_the_day_that_is_due_is_the_newest_whose_deadline_is_over(now, hours, ds):
    assert day_due(datetime.fromisoformat(now).replace(tzinfo=UTC), hours) == ds


def test_each_step_that_a_day_lacks_is_named_and_when_all_is_out_nothing_is_late(watch):
    assert watch("--date", FIRST)[:2] == (0, f"{FIRST}: nothing is late\n"), "a home without a sweep"
    watch.sweep(FIRST)
    assert watch("--date", FIRST)[:2] == (0, f"{FIRST}: nothing is late\n"), "an installation's first day"
    watch.sweep(THIRD)
    assert watch("--date", THIRD)[:2] == (1, f"no letters of {THIRD}: its sweeps are stored and are not judged\n")
    missing = f"no letters of {SECOND}: no sweep of that day is stored, so there is nothing to judge\n"
    assert watch("--date", SECOND)[:2] == (1, missing)
    watch.judge(THIRD, "findings")
    assert watch("--date", THIRD)[:2] == (
        1,
        f"no letters of {THIRD}: it is judged, and its letters are not published\n",
    )
    generation = watch.judge(THIRD, "findings", "reports")
    assert watch("--date", THIRD)[:2] == (1, f"the letters of {THIRD} are published and are not all mailed\n")
    assert watch("--date", FIRST).code == 1, "once a day was published the first one is due as well"
    note_mailed(watch.home, THIRD, generation)
    assert watch("--date", THIRD)[:2] == (0, f"{THIRD}: nothing is late\n")


def test_a_letter_names_a_day_before_it_that_was_measured_and_is_not_judged(here):
    here.sweep(FIRST, SECOND)
    assert late_days(here.home, "a", "2026-11-17", THIRD) == (
        f"{FIRST} was measured and is not judged.",
        f"{SECOND} was measured and is not judged.",
    )
    assert late_days(here.home, "b", "2026-11-17", THIRD) == ()


def test_of_days_that_no_run_of_this_version_judged_the_outbox_alone_tells(here, box, smtp):
    here.sweep(FIRST, SECOND)
    here.judge(SECOND, "findings", "reports", by_a_run=False)
    assert here("--date", SECOND).code == 0
    box.answers["gone@example.org"] = "550 no such user"
    letter = (here.home, SECOND, "a", "<p>1</p>", "1", "a letter", ["a@example.org", "gone@example.org"])
    deliver(*letter, smtp, "digest")
    said = here("--date", SECOND)
    assert said[:2] == (1, f"the letters of {SECOND} are published and are not all mailed: not to gone@example.org\n")
    box.answers.clear()
    deliver(*letter, smtp, "digest")
    assert here("--date", SECOND).code == 0


def test_a_damaged_pointer_is_late_and_says_so(here):
    here.sweep(FIRST, SECOND)
    here.judge(SECOND, "findings", "reports")
    (here.home / f"reports/ds={SECOND}/_current.json").write_text("{")
    said = here("--date", SECOND)
    assert said.code == 1
    assert said.out.startswith(f"no letters of {SECOND}: ")
    assert "_current.json names no generation" in said.out


@pytest.mark.parametrize(
    ("hours", "owners", "options", "code", "sentence"),
    [
        ("soon", PLATFORM, (), 2, f"{HOURS} is 'soon': it is a number of hours, 0 for none"),
        ("6", "", ("--mail",), 2, f"{OWNERS} names nobody who could be told"),
        ("6", PLATFORM, ("--mail",), 2, "no mail server is set"),
        ("0", "", (), 0, f"{HOURS} is 0: no day is ever late"),
    ],
)
def test_settings_that_cannot_be_are_one_sentence(here, monkeypatch, hours, owners, options, code, sentence):
    for name in ("KAFKA_FLEET_SMTP", "AIRFLOW_CONN_SMTP_DEFAULT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(HOURS, hours)
    monkeypatch.setenv(OWNERS, owners)
    said = here(*options)
    assert said.code == code
    assert sentence in said.out + said.err


def test_without_a_date_the_newest_day_that_is_due_is_looked_at(here):
    due = day_due(datetime.now(UTC), 6)
    before = (datetime.fromisoformat(due) - timedelta(days=1)).date().isoformat()
    here.sweep(before, due)
    assert here()[:2] == (1, f"no letters of {due}: its sweeps are stored and are not judged\n")
