"""Homes in a bucket of an S3 server on loopback: each test gets its own; threads that want one thing at once."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kafka_fleet.store.bucket import open_home
from support.servers.s3_server import BUCKET

RIVALS = 8
CANARY = "canary-5f1c-not-to-be-seen"
_prefixes = itertools.count()


def next_home() -> Path:
    """An empty home; the variables of the server must be set."""
    return open_home(f"s3a://{BUCKET}/team/home{next(_prefixes)}")


def rivals(call: Callable[[int], Any]) -> list[Any]:
    """What each of RIVALS threads got: a value, or the error it met."""

    def attempt(number: int) -> Any:
        try:
            return call(number)
        except Exception as error:
            return error

    with ThreadPoolExecutor(RIVALS) as pool:
        return list(pool.map(attempt, range(RIVALS)))
