"""What a refusal says: takes an answer's bytes, gives its first ones, and its words without a secret."""

import json
import time
from collections.abc import Iterable
from typing import Any

from kafka_fleet.notify.outcome import TIMEOUT
from kafka_fleet.report.sanitize import shorten

SAID = 300  # bytes that are read of an error's answer, and characters that are told of one


def first_bytes(parts: Iterable[bytes]) -> bytes:
    """The first SAID bytes. parts: as they arrive; none is waited for once TIMEOUT has passed."""
    found, until = b"", time.monotonic() + TIMEOUT[1]
    for part in parts:
        found += part
        if len(found) >= SAID or time.monotonic() > until:
            break
    return found[:SAID]


def members(body: bytes) -> dict[str, Any]:
    """Those of an answer that is an object of JSON; none of any other, as of one that was cut off."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def words_without(secrets: Iterable[str], parts: Iterable[object]) -> str:
    """The parts as one line, in which no secret is left."""
    text = " ".join("; ".join(str(one) for one in parts).split())
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "…")
    return shorten(text, SAID)
