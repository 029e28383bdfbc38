"""The outbox: takes a letter, gives out each recipient once, despite crashes, retries and concurrent tasks.

`<home>/outbox/ds=D/<cluster>.json` keeps every mail composed for that day and, per recipient, one state:

    due ──claim──▶ claimed ──250──▶ sent
     ▲               │ ├──5xx──▶ refused        (offered again only when somebody asks for delivery again)
     └──nothing left─┘ └──crash or lost answer──▶ stays claimed; tried again after the lease

A claim is written to disk before the first byte goes to the mail server, and counted before the last one does: a body
without its end is delivered to nobody. So a mail can be sent twice only where the answer to a complete body was lost,
at most once more, and under the same Message-ID; two lost answers leave the recipient `uncertain`. `known`: an earlier
mail of the same day carried these findings, and no other mail reached the recipient since; nothing is revised.
"""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

from kafka_fleet.documents.outbox import Mail, Recipient, State, parsed_mails
from kafka_fleet.store.files import update_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.versions import NewerVersion, document

Answer = TypeVar("Answer")
SCHEMA_VERSION = 1
CLOCKS_APART = timedelta(minutes=1)  # of tasks on several machines
MAX_CLAIMS = 2  # complete mails: the first, and one more when its outcome was never learnt
_UNTOUCHED: tuple[State, ...] = ("due", "refused")


class OutboxError(RuntimeError):
    """The outbox of a cluster and day cannot be used; nothing is sent on guesswork."""


def message_id(cluster: str, ds: str, digest: str, occurrence: int, domain: str) -> str:
    """`<cluster.day.digest@domain>`; a letter that came back after another one carries its occurrence too."""
    again = f".{occurrence + 1}" if occurrence else ""
    return f"<{cluster}.{ds}.{digest[:12]}{again}@{domain}>"


def letter_digest(*parts: str) -> str:
    """SHA-256 over the parts, each with its length, so that no two different letters run together."""
    hasher = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        hasher.update(len(raw).to_bytes(8, "big") + raw)
    return hasher.hexdigest()


def latest_mails(mails: Sequence[Mail]) -> list[Mail]:
    """The day's letter, the last part first: all mails at the end of the list that tell the same findings."""
    return list(takewhile(lambda mail: mail.findings_digest == mails[-1].findings_digest, reversed(mails)))


def current_recipient(mails: Sequence[Mail], mail: Mail, address: str) -> Recipient | None:
    """A recipient of a mail; None where it is not, or no longer, the one that holds for that address."""
    own = next((one for one in latest_mails(mails) if address in one.recipients), None)
    return own.recipients[address] if own is not None and own.message_id == mail.message_id else None


class Outbox:
    """The outbox file of one cluster, or one owner's digest, and day.

    Every change is one read, modify, replace, atomic among concurrent tasks.
    """

    def __init__(self, home: str | Path, ds: str, cluster: str, lease: timedelta) -> None:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", ds) or not re.fullmatch(r"_?[a-z0-9][a-z0-9-]{0,62}", cluster):
            raise OutboxError(f"{ds!r} and {cluster!r} do not name a day and a cluster")
        self.path = Home(Path(home) if isinstance(home, str) else home).day(ds).mails(cluster)
        self.cluster = cluster
        self._lease = lease
        self._head = {"schema_version": SCHEMA_VERSION, "ds": ds, "cluster": cluster}

    def read(self) -> list[Mail]:
        """All mails of the day, oldest first. Raises OutboxError where the file is not ours."""
        try:
            return self._mails(self.path.read_bytes())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise OutboxError(f"{self.path}: cannot be read ({type(error).__name__}); nothing is sent") from error

    def _mails(self, found: bytes) -> list[Mail]:
        try:
            content = document(found, str(self.path))
        except NewerVersion as error:
            raise OutboxError(f"{error}; nothing is sent") from error
        except ValueError as error:
            raise OutboxError(f"{self.path}: cannot be read ({type(error).__name__}); nothing is sent") from error
        try:
            if {key: content[key] for key in self._head} != self._head:
                raise ValueError
            return parsed_mails(content["mails"])
        except (KeyError, TypeError, ValueError) as error:
            raise OutboxError(f"{self.path}: is not the outbox of this cluster and day; nothing is sent") from error

    def change(self, step: Callable[[list[Mail]], Answer]) -> Answer:
        """What `step` gives for the mails; what it leaves in the list is stored, as one atomic step.

        It may be called again, with the mails that a faster task left: it changes nothing but the list.
        """
        answers: list[Answer] = []

        def rewrite(found: bytes | None) -> bytes:
            mails = [] if found is None else self._mails(found)
            answers.append(step(mails))
            return self._text(mails)

        update_file(self.path, rewrite, lock=self.path.parent / f".{self.path.stem}.lock")
        return answers[-1]

    def leased_until(self, recipient: Recipient, now: datetime) -> datetime | None:
        """The end of a claim that still holds, else None. A claim of the future was made by a clock that was ahead."""
        if recipient.state != "claimed" or recipient.at is None:
            return None
        at = datetime.fromisoformat(recipient.at)
        return at + self._lease if at - CLOCKS_APART <= now < at + self._lease else None

    def claim(self, mail: Mail, address: str, now: datetime) -> Recipient | None:
        """Claim one recipient of the day's letter, before talking to the mail server; None when it is not ours to send,
        or no longer.
        """

        def step(mails: list[Mail]) -> Recipient | None:
            recipient = current_recipient(mails, mail, address)
            if recipient is None:
                return None  # a revised letter came in between
            if recipient.state in ("sent", "uncertain", "known") or self.leased_until(recipient, now):
                return None
            if recipient.state == "claimed" and recipient.claims >= MAX_CLAIMS:
                recipient.state, recipient.reason = "uncertain", "two complete mails got no answer; not sent again"
                return None
            recipient.state, recipient.at, recipient.reason = "claimed", now.isoformat(), ""
            return recipient

        return self.change(step)

    def offer(self, mail: Mail, address: str, claimed: Recipient) -> bool:
        """Count a complete mail, right before its end is sent; False where it must not be: the claim is another's by
        now, or a revised letter came in between.
        """

        def step(mails: list[Mail]) -> bool:
            recipient = current_recipient(mails, mail, address)
            if recipient is None or (recipient.state, recipient.at) != ("claimed", claimed.at):
                return False
            recipient.claims = claimed.claims + 1
            return True

        return self.change(step)

    def settle(self, mail: Mail, address: str, claimed: Recipient, state: State, reason: str, now: datetime) -> None:
        """Record the outcome of a claim. A known outcome of nothing sent takes what was counted back.

        Of a claim that was taken over only success is recorded: what failed says nothing of the other try.
        """

        def step(mails: list[Mail]) -> None:
            kept = next((kept for kept in reversed(mails) if kept.message_id == mail.message_id), None)
            recipient = kept.recipients[address] if kept else None
            if recipient is None or recipient.state == "sent":
                return  # replaced before delivery; or another task's success, which is never undone
            if state != "sent" and (recipient.state, recipient.at) != ("claimed", claimed.at):
                return
            recipient.state, recipient.reason = state, reason
            if state != "claimed":
                recipient.at = now.isoformat()
            if state in _UNTOUCHED:
                recipient.claims = claimed.claims

        self.change(step)

    def _text(self, mails: list[Mail]) -> bytes:
        content = {**self._head, "mails": [asdict(mail) for mail in mails]}
        return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True).encode()
