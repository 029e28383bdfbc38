"""Random schedules of crash, retry, clear, revised findings and backfill: no letter lost, none twice but in the window.

FLEET_OUTBOX_SCHEDULES=1000 python -m pytest tests/test_outbox_schedules.py      as many as that, with FLEET_SEED
"""

import os
import random
from collections import Counter
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

import pytest

from crashes import in_memory, on_their_way
from fleet_mail import should_mail
from generated import SEED
from mail_runs import THINGS, VARIANTS, Accepted, Runs, served, write_templates

SCHEDULES = int(os.environ.get("FLEET_OUTBOX_SCHEDULES", "10"))


class Run(NamedTuple):
    """One run of the day: its generation, what it found, and whether its mail task mails."""

    generation: str
    variant: str
    mails: bool


class Schedule:
    """What happens to one day, drawn at random, and what its owners' mailbox says of it."""

    def __init__(self, runs: Runs, seed: str) -> None:
        self.runs, self.dice = runs, random.Random(seed)  # noqa: S311 - a schedule that can be had again
        self.told: list[str] = []  # what happened, for whoever has to look at a failure
        self.judged: list[Run] = []
        self.found: dict[str, tuple[str, ...]] = {}  # findings by Message-ID
        self.had: dict[str, list[Accepted]] = {one: [] for one in runs.owners}
        self.window: Counter[tuple[str, str]] = Counter()  # complete mails of unknown outcome
        self.counts: Counter[str] = Counter()

    def judge(self) -> None:
        """The day is judged: by its scheduled run, by a backfill, or by hand."""
        variant = self.dice.choice(list(VARIANTS))
        run_type, notify = self.dice.choice(
            [("scheduled", "auto"), ("scheduled", "auto"), ("backfill", "auto"), ("backfill", "never"),
             ("backfill", "always"), ("manual", "auto"), ("manual", "always")]
        )  # fmt: skip
        run = Run(self.runs.judge(variant), variant, should_mail(notify, run_type))
        self.judged.append(run)
        self.told.append(f"{run_type} run, notify {notify}: {run.generation} finds {variant}")
        self.counts[f"{run_type} {notify}"] += 1

    def mail(self, healthy: bool = False) -> None:
        """The mail task of some run: its first try, a retry, or cleared long after others have run."""
        mailing = [run for run in self.judged if run.mails]
        if not mailing:
            return
        run = mailing[-1] if healthy else self.dice.choice(mailing[-3:])
        kind = "" if healthy else self.dice.choice(["", "write", "write", "server", "server"])
        thing = self.dice.choice(THINGS) if kind == "server" else None
        self.runs.server.expect(thing, self.dice.choice([1, 1, 2]))
        at = self.dice.randint(1, 40) if kind == "write" else None  # a mail to one owner is some thirty writes
        before, taken = self.claims(), len(self.runs.server.received)
        ended = self.runs.try_mail(run.generation, at)
        self.told.append(f"mail of {run.generation}: {thing or ''} {ended or ''}")
        self.counts["killed" if ended else "mailed"] += 1
        self._look(before, self.runs.server.accepted()[taken:])

    def claims(self) -> dict[tuple[str, str], int]:
        """Complete mails that the outbox counts, by recipient and Message-ID."""
        return {(to, m.message_id): one.claims for m in self.runs.mails() for to, one in m.recipients.items()}

    def _look(self, before: dict[tuple[str, str], int], taken: list[Accepted]) -> None:
        """Every mail that came is one that the outbox knows, is due, and is no second one but in the window."""
        mails = {mail.message_id: mail for mail in self.runs.mails()}
        shown = next(run.variant for run in reversed(self.judged))
        for one in taken:
            assert one.message_id in mails, "a mail that was delivered is forgotten"
            known = self.found.setdefault(one.message_id, VARIANTS[shown])
            assert known == VARIANTS[shown], "a letter whose findings do not hold any more"
            had = self.had[one.recipient]
            same = [mail for mail in had if mail.message_id == one.message_id]
            assert len(same) <= self.window[one.recipient, one.message_id] <= 1, "twice, and not for a lost answer"
            if had and not same:
                unsure = self._may_have(one.recipient) - {mail.message_id for mail in had[:-1]}
                assert unsure or self.found[had[-1].message_id] != known, "a revised letter without other findings"
            had.append(one)
            self.counts["twice"] += bool(same)
        for (to, message_id), claims in self.claims().items():
            recipient = mails[message_id].recipients[to]
            if claims > before.get((to, message_id), 0) and recipient.state == "claimed":
                self.window[to, message_id] += 1
                self.counts["in the window"] += 1

    def _may_have(self, recipient: str) -> set[str]:
        """Mails of which the outbox does not know, or once did not know, whether they came."""
        return {message_id for (to, message_id), number in self.window.items() if to == recipient and number}

    def end(self) -> None:
        """All is well again: the last run that mails is cleared until nothing is due."""
        for _try in range(3):
            self.runs.wait(31)
            self.mail(healthy=True)
        mails = self.runs.mails()
        if not any(run.mails for run in self.judged):
            assert mails == []
            assert not any(self.had.values())
            return
        holds = VARIANTS[self.judged[-1].variant]
        for to, had in self.had.items():
            recipient = mails[-1].recipients[to]
            if recipient.state == "uncertain":
                assert self.window[to, mails[-1].message_id] == 2, "given up, and answers were not lost twice"
                self.counts["uncertain"] += 1
            else:
                assert had, "an owner without a letter"
                assert self.found[had[-1].message_id] == holds, "an owner who has not the last findings"
        rest = len(self.runs.server.received)
        self.mail(healthy=True)
        assert len(self.runs.server.received) == rest, "a mail after all was well"
        assert on_their_way(self.runs.home) == []

    def run(self) -> None:
        """Draw and check."""
        self.judge()
        for _step in range(self.dice.randint(6, 16)):
            step = self.dice.random()
            if step < 0.2:
                self.judge()
            elif step < 0.4:
                self.runs.wait(self.dice.randint(1, 30))
            else:
                self.mail()
        self.end()


@pytest.mark.fault(46, 48, 51, 52)
@pytest.mark.timeout(3600)
def test_no_schedule_loses_a_letter_or_sends_one_twice_but_in_the_window(tmp_path: Path) -> None:
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
    print(f"FLEET_SEED={SEED}: {dict(sorted(counts.items()))}")
    assert counts["killed"] > SCHEDULES // 2
    assert counts["in the window"] >= counts["twice"]
    assert counts["twice"] or SCHEDULES < 100, "schedules that never reach the window prove little"
