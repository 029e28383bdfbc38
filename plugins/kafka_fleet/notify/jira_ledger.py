"""Which issue a channel opened for which finding: takes a fingerprint, gives the issue's id as Jira gave it.

Jira's search shows a new issue some seconds or minutes late, and has no key by which a second one would be refused. So
an issue that is about to be opened is noted before it is asked for; while that is not SETTLED ago and no id is known,
nobody opens another one. `<home>/outbox/_issues-<channel>.json` keeps both.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kafka_fleet.store.files import read_file, update_file
from kafka_fleet.store.home_beside import issues_of
from kafka_fleet.store.versions import document

SETTLED = timedelta(minutes=30)  # Jira's search has what was written before that
SCHEMA_VERSION = 1


class LedgerError(RuntimeError):
    """The file is not ours, or a newer version's; nothing is opened on guesswork. One sentence."""


class Ledger:
    """The issues of one cluster and channel."""

    def __init__(self, home: Path, cluster: str, channel: str) -> None:
        self._head = {"schema_version": SCHEMA_VERSION, "cluster": cluster, "channel": channel}
        name = hashlib.sha256("\0".join([cluster, channel]).encode()).hexdigest()[:16]
        self._path = issues_of(home, name)

    def issue(self, fingerprint: str) -> str | None:
        """The id of its issue; None: none is known. Raises LedgerError, OSError."""
        try:
            found = self._issues(read_file(self._path)).get(fingerprint)
        except FileNotFoundError:
            return None
        return found["issue"] if found else None

    def begin(self, fingerprint: str, now: datetime) -> datetime | None:
        """Note that one is opened now; where somebody may just have done so, when that is settled instead."""
        until: list[datetime | None] = []

        def step(issues: dict[str, Any]) -> None:
            found = issues.get(fingerprint)
            asked = datetime.fromisoformat(found["asked"]) if found and found["issue"] is None else None
            if asked and now - SETTLED < asked <= now + SETTLED:
                until.append(asked + SETTLED)
                return
            until.append(None)
            issues[fingerprint] = {"issue": None, "asked": now.astimezone(UTC).isoformat()}

        self._change(step)
        return until[-1]

    def keep(self, fingerprint: str, issue: str, now: datetime) -> None:
        """It has this issue."""
        entry = {"issue": issue, "asked": now.astimezone(UTC).isoformat()}
        self._change(lambda issues: issues.update({fingerprint: entry}))

    def forget(self, fingerprint: str) -> None:
        """It surely has none."""
        self._change(lambda issues: issues.pop(fingerprint, None))

    def _change(self, step: Callable[[dict[str, Any]], Any]) -> None:
        def rewrite(found: bytes | None) -> bytes:
            issues = {} if found is None else self._issues(found)
            step(issues)
            return json.dumps({**self._head, "issues": issues}, indent=1, sort_keys=True).encode()

        update_file(self._path, rewrite, lock=self._path.parent / f".{self._path.stem}.lock")

    def _issues(self, content: bytes) -> dict[str, Any]:
        try:
            found = document(content, str(self._path))
            if {key: found[key] for key in self._head} != self._head:
                raise ValueError("it is of another channel")
            issues: dict[str, Any] = found["issues"]
            for one in issues.values():
                if not isinstance(one["issue"], str | None):
                    raise ValueError("an issue's id is no text")
                datetime.fromisoformat(one["asked"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LedgerError(f"{self._path}: cannot be read ({error}); nothing is told") from error
        return issues
