"""Whether a day's letters went out: takes a home and a day, notes that mailing ended well, or says who still waits.

outbox/ds=D/_mailed.json    {"generation": "g0001", ...}: all that was due of the day has gone, or none was due
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from kafka_fleet.documents.outbox import Recipient, State
from kafka_fleet.mail.delivery import LEASE
from kafka_fleet.mail.outbox import Outbox, latest_mails
from kafka_fleet.schema.raw_tables import SCHEMA_VERSION
from kafka_fleet.store.files import list_names, replace_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import checked_day

CHANNELS = "_channels-"  # begins the outbox of a cluster's other channels (kafka_fleet.notify), which are no letters


def note_mailed(home: Path, ds: str, generation: str) -> None:
    """Remember that the letters of a generation were mailed as far as they were due."""
    content = {"schema_version": SCHEMA_VERSION, "ds": checked_day(ds), "generation": generation}
    replace_file(Home(home).day(ds).mailed, json.dumps(content, sort_keys=True).encode())


def was_mailed(home: Path, ds: str) -> bool:
    """Whether that was noted, of any generation of the day."""
    return Home(home).day(ds).mailed.exists()


def waiting_owners(home: Path, ds: str) -> list[str]:
    """Addresses, sorted, to which a letter of the day was due and surely has not gone. Raises OutboxError, OSError."""
    return sorted({address for address, one in _recipients(home, ds) if one.state in ("due", "refused")})


def letter_states(home: Path, ds: str) -> dict[State, int]:
    """How many recipients of the day's letters are in each state. Raises OutboxError, OSError."""
    found = Counter(one.state for _address, one in _recipients(home, ds))
    return {state: found[state] for state in get_args(State)}


def _recipients(home: Path, ds: str) -> Iterator[tuple[str, Recipient]]:
    """Of the day's letters and digests, as they hold now."""
    day = Home(home).day(ds)
    for name in list_names(day.outbox):
        if not name.endswith(".json") or name.startswith((".", "_platform-", CHANNELS)) or name == day.mailed.name:
            continue
        mails = Outbox(home, ds, name.removesuffix(".json"), LEASE).read()
        for mail in latest_mails(mails) if mails else []:
            yield from mail.recipients.items()
