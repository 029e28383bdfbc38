"""Random schedules of days, crash, retry, rivals and backfill: no letter lost, none twice but in the window.

FLEET_OUTBOX_SCHEDULES=1000 python -m pytest -s tests/resilience/crash_points/test_outbox_schedules.py
tries as many as that, with FLEET_SEED.
"""

import os
import random
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

import pytest

from fleet_airflow.mailing import should_mail
from kafka_fleet.mail.dispatch import HEARTBEAT
from support.builders.letter_rows import DS
from support.failures.crashes import in_memory, on_their_way
from support.failures.mail_runs import THINGS, VARIANTS, WAIT, Runs, served, write_templates
from support.generators.seed import SEED
from support.oracles.mail_oracle import Oracle

SCHEDULES = int(os.environ.get("FLEET_OUTBOX_SCHEDULES", "8"))
DAYS = [(date.fromisoformat(DS) + timedelta(days=number)).isoformat() for number in range(4)]
TRIGGERS = [("scheduled", "auto"), ("scheduled", "auto"), ("scheduled", "auto"), ("backfill", "auto"),
            ("backfill", "never"), ("backfill", "always"), ("manual", "auto"), ("manual", "always")]  # fmt: skip


class Run(NamedTuple):
    """One run of a day: its generation, and whether its mail task mails."""

    ds: str
    generation: str
    mails: bool


class Schedule:
    """What happens on three days, drawn at random, and what the owners' mailboxes say of it on the fourth."""

    def __init__(self, runs: Runs, seed: str) -> None:
        self.runs, self.oracle, self.dice = runs, Oracle(runs), random.Random(seed)  # noqa: S311 - to be had again
        self.told: list[str] = []  # what happened, for whoever has to look at a failure
        self.judged: list[Run] = []
        self.counts = self.oracle.counts

    def judge(self, ds: str, variant: str | None = None, scheduled: bool = False) -> Run:
        """A day is judged: by its scheduled run, by a backfill, or by hand."""
        variant = variant or self.dice.choice(list(VARIANTS))
        run_type, notify = TRIGGERS[0] if scheduled else self.dice.choice(TRIGGERS)
        run = Run(ds, self.runs.judge(variant, ds), should_mail(notify, run_type))
        self.judged.append(run)
        self.oracle.published[ds] = variant
        self.told.append(f"{ds}: {run_type} run, notify {notify}: {run.generation} finds {variant}")
        self.counts[f"{run_type} {notify}"] += 1
        return run

    def mail(self, run: Run | None = None, healthy: bool = False, answer: str | None = None) -> None:
        """The mail task of some run: its first try, a retry, or cleared long after others have run.

        answer: what the server does, else that is drawn.
        """
        mailing = [one for one in self.judged if one.mails]
        run = run or (self.dice.choice(mailing[-3:]) if mailing else None)
        if run is None:
            return
        kind = "" if healthy or answer else self.dice.choice(["", "write", "write", "server", "server"])
        thing = self.dice.choice(THINGS) if kind == "server" else answer
        self.runs.server.expect(thing, self.dice.choice([1, 1, 2]))
        at = self.dice.randint(1, 40) if kind == "write" else None  # a mail to one owner is some thirty writes
        ended = self.runs.try_mail(run.generation, at, run.ds)
        self.told.append(f"mail of {run.ds} {run.generation}: {thing or ''} {ended or ''}")
        self.counts["killed" if ended else "mailed"] += 1
        self.oracle.look()

    def lose(self) -> None:
        """The answers to both tries of one letter are lost, and the mails with them or not."""
        mailing = [one for one in self.judged if one.mails]
        for _try in range(3 if mailing else 0):  # the third sends nothing more
            self.mail(mailing[-1], answer=self.dice.choice([thing for thing in THINGS if "kept" in thing]))
            self.runs.wait(11)

    def rivals(self) -> None:
        """A mail task holds a claim while another of its day runs: at once, after the lease, or with other findings."""
        mailing = [one for one in self.judged if one.mails]
        if not mailing:
            return
        run, self.oracle.shown = mailing[-1], dict(self.oracle.published)
        how = self.dice.choice(["at once", "after the lease", "other findings"])

        def meanwhile() -> None:
            self.counts["rivals"] += 1
            self.told.append(f"meanwhile, {how}:")
            if how == "after the lease":
                self.runs.wait(11)
            rival = self.judge(run.ds, scheduled=True) if how == "other findings" else run
            self.mail(rival, healthy=True)

        self.runs.server.expect(WAIT, self.dice.choice([1, 1, 2]))
        self.told.append(f"mail of {run.ds} {run.generation}, which waits with its claim")
        assert self.runs.try_mail(run.generation, None, run.ds, meanwhile) is None
        self.counts["mailed"] += 1
        self.oracle.look()
        self.oracle.shown = {}

    def backfill(self, ds: str) -> None:
        """A day before is judged again, and its letter mailed where that is asked for."""
        run = self.judge(self.dice.choice([one for one in DAYS if one < ds]))
        self.counts["backfills of an earlier day"] += 1
        if run.mails:
            self.mail(run)

    def heal(self, ds: str) -> set[str]:
        """All is well again: the last run of a day that mails is cleared until nothing is due. Gives the uncertain."""
        mailing = [run for run in self.judged if run.mails and run.ds == ds]
        for _try in range(3 if mailing else 0):
            self.runs.wait(31)
            self.mail(mailing[-1], healthy=True)
            if not self.runs.is_open(ds):
                break
        uncertain = self.oracle.check(ds, bool(mailing))
        rest = len(self.runs.server.received)
        if mailing:
            self.mail(mailing[-1], healthy=True)
        assert len(self.runs.server.received) == rest, "a mail after all was well"
        return uncertain

    def run(self) -> None:
        """Draw and check."""
        for ds in DAYS[:3]:
            unchanged = (
                self.oracle.published.get(max(self.oracle.published, default="")) if self.dice.random() < 0.5 else None
            )
            self.judge(ds, unchanged)
            for _step in range(self.dice.randint(1, 5)):
                step = self.dice.random()
                if step < 0.1:
                    self.judge(ds)
                elif step < 0.25:
                    self.runs.wait(self.dice.randint(1, 30))
                elif step < 0.35:
                    self.rivals()
                elif step < 0.42:
                    self.lose()
                elif step < 0.52 and ds != DAYS[0]:
                    self.backfill(ds)
                else:
                    self.mail()
            if self.dice.random() < 0.3:
                self.heal(ds)
        self.end()

    def end(self) -> None:
        """The last day is healed, and the day after finds the same: its letter is for those who may not know it."""
        mailed = any(run.mails and run.ds == DAYS[2] for run in self.judged)
        uncertain = self.heal(DAYS[2])
        before = len(self.runs.server.received)
        self.judge(DAYS[3], self.oracle.published[DAYS[2]], scheduled=True)
        assert self.heal(DAYS[3]) == set()
        later = sorted(to for to, _message in self.runs.server.received[before:])
        assert not mailed or later == sorted(uncertain), (
            "the next day's letter is theirs who are uncertain, and only theirs"
        )
        self.counts["uncertain, and had it on the next day"] += len(uncertain)
        left = {path.relative_to(self.runs.home) for path in on_their_way(self.runs.home)}
        assert left <= {Path(f"outbox/ds={ds}/.{self.runs.name}.json.tmp") for ds in DAYS}, "more than one name"


@pytest.mark.sampled("outbox-schedules")
@pytest.mark.fault(46, 48, 51, 52)
@pytest.mark.timeout(7200)
def test_no_schedule_loses_a_letter_or_sends_one_twice_but_in_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HEARTBEAT, "0")  # or it would send what was lost
    counts: Counter[str] = Counter()
    with in_memory(tmp_path) as folder, served() as (server, smtp):
        write_templates(folder / "templates")
        for number in range(SCHEDULES):
            server.received.clear()
            home = folder / "home"
            schedule = Schedule(Runs(home, folder / "templates", server, smtp, number % 3 == 2), f"{SEED} {number}")
            try:
                schedule.run()
            except AssertionError as error:
                raise AssertionError(f"schedule {number}: {error}\n" + "\n".join(schedule.told)) from error
            rmtree(home)
            counts += schedule.counts + Counter(mails=len(server.received), schedules=1)
            if counts["schedules"] % 25 == 0:
                print(f"so far: {dict(sorted(counts.items()))}", flush=True)
    print(f"FLEET_SEED={SEED}: {dict(sorted(counts.items()))}")
    assert counts["killed"] > SCHEDULES // 2
    assert counts["in the window"] >= counts["twice"]
    assert counts["rivals"] or SCHEDULES < 8
    assert counts["twice"] or SCHEDULES < 100, "schedules that never reach the window prove little"
