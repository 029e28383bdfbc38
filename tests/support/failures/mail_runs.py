"""Runs of days that mail: takes a home, publishes generations with other findings, lets forks mail them to a server.

The server is a real one on a loopback socket; what it does with the next mail is set before: take it, turn it down,
hang up, kill the fork that sends it, or keep it waiting while a rival runs.
"""

import asyncio
import json
import logging
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.documents.outbox import Mail
from kafka_fleet.mail import published_letter
from kafka_fleet.mail.digest import digest_name, mail_digest
from kafka_fleet.mail.dispatch import mail_letter
from kafka_fleet.mail.outbox import Outbox
from kafka_fleet.mail.smtp_settings import SmtpSettings
from kafka_fleet.store.generations import claim_generation, publish
from support.builders.letter_rows import DS, finding
from support.builders.published_days import dossier, publish_day
from support.failures.crashes import Write, killed
from support.servers.mail_server import Mailbox, mail_server, plain

CLUSTERS = ("archive-eu", "payments-eu")
OWNERS = ("oncall@example.org", "second@example.org")
LEASE = timedelta(minutes=10)
# any step from one of these to another is news to who knows the first
VARIANTS = {"one": ("CVE-2026-33557",), "both": ("CVE-2026-33557", "KAFKA-17076"), "other": ("KAFKA-17076",),
            "one reworded": ("CVE-2026-33557",)}  # fmt: skip


WAIT = "wait at RCPT"  # a claim that is held, and nothing sent yet


class Accepted(NamedTuple):
    """A mail that the server took: its recipient, its Message-ID, whether it says that it revises another."""

    recipient: str
    message_id: str
    revised: bool


class Server(Mailbox):
    """A mailbox that does one thing once: `plan` is that thing and the number of the recipient that it happens to."""

    def __init__(self) -> None:
        super().__init__()
        self.child = 0
        self.plan: tuple[str, int] | None = None
        self._seen = 0
        self.waits, self.goes_on = threading.Event(), threading.Event()

    def expect(self, thing: str | None, number: int = 1) -> None:
        self.plan, self._seen = (thing, number) if thing else None, 0

    def _now(self, *things: str) -> str | None:
        return self.plan[0] if self.plan and self.plan[0] in things and self._seen == self.plan[1] else None

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        self._seen += 1
        thing = self._now("450 at RCPT", "550 at RCPT", "kill at RCPT", WAIT)
        if thing == WAIT:
            self.plan = None
            self.waits.set()
            while not self.goes_on.is_set():
                await asyncio.sleep(0.005)
        elif thing == "kill at RCPT":
            os.kill(self.child, signal.SIGKILL)
        elif thing:
            return thing.replace("at RCPT", "not now")
        return await super().handle_RCPT(server, session, envelope, address, options)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        thing = self._now("451 at DATA", "554 at DATA", "hang up, not kept", "hang up, kept", "kill, not kept",
                          "kill, kept")  # fmt: skip
        if thing and thing[0].isdigit():
            return thing.replace("at DATA", "not now")
        answer = "250 kept"
        if thing is None or not thing.endswith("not kept"):
            answer = await super().handle_DATA(server, session, envelope)
        if thing and thing.startswith("kill"):
            os.kill(self.child, signal.SIGKILL)
        if thing and thing.startswith("hang up"):
            server.transport.abort()
        return answer

    def accepted(self) -> list[Accepted]:
        """All mails taken so far."""
        return [
            Accepted(to, str(message["Message-ID"]).strip(), str(message["Subject"]).strip().startswith("Revised: "))
            for to, message in self.received
        ]


THINGS = ("450 at RCPT", "550 at RCPT", "kill at RCPT", "451 at DATA", "554 at DATA", "hang up, not kept",
          "hang up, kept", "kill, not kept", "kill, kept")  # fmt: skip


class Runs:
    """Days of a home, their published generations, and their mails: a cluster's letters, or an owner's digests."""

    def __init__(self, home: Path, templates: Path, server: Server, smtp: SmtpSettings, digest: bool) -> None:
        self.home, self.templates, self.server, self.smtp, self.digest = home, templates, server, smtp, digest
        self.owners = OWNERS[:1] if digest else OWNERS
        self.name = digest_name(OWNERS[0]) if digest else CLUSTERS[1]  # in the outbox

    def judge(self, variant: str, ds: str = DS) -> str:
        """A run of the day finds these; its letters are published. Gives its generation."""
        generation = claim_generation(self.home, ds)
        for stage in ("findings", "reports"):
            folder = self.home / f"{stage}/ds={ds}"
            shutil.copytree(self.templates / variant / stage, folder / generation)
            for path in (folder / generation).rglob("*.*"):
                path.write_bytes(path.read_bytes().replace(DS.encode(), ds.encode()))
            publish(folder, generation)
        return generation

    def mail(self, generation: str | None, ds: str = DS) -> None:
        """A run's task mails what is due."""
        if self.digest:
            mail_digest(self.home, ds, OWNERS[0], CLUSTERS, self.smtp, generation=generation)
        else:
            mail_letter(self.home, ds, CLUSTERS[1], OWNERS, self.smtp, generation=generation)

    def try_mail(
        self, generation: str | None, at: int | None = None, ds: str = DS, meanwhile: Callable[[], object] | None = None
    ) -> Write | None:
        """The same in a fork that dies at its write number `at`, or when the server kills it.

        meanwhile: what rivals do while the server keeps the fork waiting, see WAIT.
        """

        def started(child: int) -> None:
            self.server.child = child
            if meanwhile is None:
                return
            ended = None
            while ended is None and not self.server.waits.wait(0.01):
                ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            try:
                if ended is None:
                    meanwhile()
            finally:
                self.server.goes_on.set()

        self.server.waits.clear()
        self.server.goes_on.clear()
        return killed(lambda home: self.mail(generation, ds), self.home, at, started)

    def mails(self, ds: str = DS) -> list[Mail]:
        """What the outbox holds of a day."""
        return Outbox(self.home, ds, self.name, LEASE).read()

    def is_open(self, ds: str = DS) -> bool:
        """Whether another try would send anything of a day's last mail."""
        return any(
            one.state in ("due", "claimed", "refused") for m in self.mails(ds)[-1:] for one in m.recipients.values()
        )

    def wait(self, minutes: int) -> None:
        """Let time go by, by making all that is written older."""
        for path in self.home.glob("outbox/ds=*/[!.]*.json"):
            age_outbox(path, minutes)


def age_outbox(path: Path, minutes: int) -> None:
    """Make all that an outbox has noted, if there is one, so much older."""
    if not path.exists():
        return
    content = json.loads(path.read_bytes())
    for mail in content["mails"]:
        for one in mail["recipients"].values():
            if one["at"]:
                one["at"] = (datetime.fromisoformat(one["at"]) - timedelta(minutes=minutes)).isoformat()
    path.write_text(json.dumps(content))


def write_templates(folder: Path) -> None:
    """Judged and written once for each variant: every run that finds the same has the same documents."""
    for variant, advisories in VARIANTS.items():
        rows = [finding(name, "exposed") for name in advisories]
        more = {"kafka_cluster_id": "reworded"} if "reworded" in variant else {}
        publish_day(folder / variant, DS, {name: (dossier(name, DS, **more), rows) for name in CLUSTERS})
        for stage in ("findings", "reports"):
            (folder / variant / stage / f"ds={DS}/g0001").rename(folder / variant / "kept")
            shutil.rmtree(folder / variant / stage)
            (folder / variant / "kept").rename(folder / variant / stage)
    runs = Runs(folder / "tried", folder, Server(), plain(1), False)
    generation = runs.judge("one")  # once here: forks then find templates and advisories read
    mail_letter(runs.home, DS, CLUSTERS[1], OWNERS, None, True, generation)
    mail_digest(runs.home, DS, OWNERS[0], CLUSTERS, None, True, generation)
    published_letter._findings.cache_clear()


@contextmanager
def served() -> Iterator[tuple[Server, SmtpSettings]]:
    """A mail server for forks."""
    logging.getLogger("mail.log").setLevel(logging.WARNING)  # aiosmtpd tells of every line
    box = Server()
    with mail_server(box) as port:
        yield box, plain(port)
