"""Threads that wait for each other for ever: takes the ids that the JVM found, gives rows of `deadlocked_threads`.

The JVM finds circles of monitors and of locks that have an owner; who holds a lock for reading is not known to it. What
is kept of a thread is its name and where it stands: classes and methods of Kafka, Scala and Java, and no argument, no
line of a file, no class of somebody else.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kafka_fleet.collect.connections.http import Endpoint, Failure
from kafka_fleet.collect.connections.query_api import check_answer_size
from kafka_fleet.schema.mbeans import THREAD_INFO, THREADING

MOST_THREADS, MOST_FRAMES, KEPT_FRAMES = 16, 64, 40
MOST_NAME, MOST_FRAME = 120, 200  # characters
_MOST_VALUES = 60_000  # lists, objects and commas of an answer; a frame has twelve
_OURS = re.compile(r"(?:kafka|org\.apache\.kafka|scala|java|jdk)\.[A-Za-z0-9_.$]+")
_METHOD = re.compile(r"[A-Za-z0-9_$<>]+")
_OTHER = re.compile(r"[^ -~]")
_MADE_UP = "$$Lambda"  # a class of the JVM's own making: another name in each process

Row = dict[str, Any]


def usable_ids(value: Any) -> list[int] | None:
    """The ids of an answer, none where no thread is in a deadlock; None where it is no answer."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(type(one) is int and 0 < one < 2**63 for one in value):
        return None
    return value


def thread_rows(endpoint: Endpoint, ids: Sequence[int], query: str) -> list[Row] | None:
    """A row per thread, of the first MOST_THREADS of them; None where the agent does not tell."""
    asked = sorted(ids)[:MOST_THREADS]
    call = {"type": "exec", "mbean": THREADING, "operation": THREAD_INFO, "arguments": [asked, MOST_FRAMES]}
    try:
        body = endpoint.send("POST", endpoint.url.rstrip("/") + "/" + query, json.dumps([call]).encode())
        check_answer_size(body, _MOST_VALUES)
        answers = json.loads(body)
    except (Failure, ValueError, RecursionError):
        return None
    answer = answers[0] if isinstance(answers, list) and len(answers) == 1 else None
    if not isinstance(answer, dict) or answer.get("status") != 200 or not isinstance(answer.get("value"), list):
        return None
    return rows_of(answer["value"][:MOST_THREADS])


def rows_of(threads: Sequence[Any]) -> list[Row]:
    """Rows of the threads of an answer; those that have ended, or cannot be read, have none."""
    found = {one["threadId"]: one for one in threads if isinstance(one, dict) and type(one.get("threadId")) is int}
    owners = {number: owner for number, one in found.items() if type(owner := one.get("lockOwnerId")) is int}
    cycles = _cycles(owners)
    return [
        {
            "cycle": cycles.get(number),
            "thread": _OTHER.sub("?", str(one.get("threadName") or ""))[:MOST_NAME],
            "waits_for": _class(lock.get("className") if isinstance(lock := one.get("lockInfo"), dict) else None),
            "frames": _frames(one.get("stackTrace")),
        }
        for number, one in sorted(found.items())
    ]


def _cycles(owner: Mapping[int, int]) -> dict[int, int]:
    """The circle that a thread is in, numbered from 0: it waits for its owner, which waits for its own, and so on."""
    found: dict[int, int] = {}
    for first in sorted(owner):
        way: list[int] = [first]
        while (following := owner[way[-1]]) in owner and following not in way:
            way.append(following)
        if following == first and first not in found:
            found |= dict.fromkeys(way, len(set(found.values())))
    return found


def _class(name: Any) -> str | None:
    known = isinstance(name, str) and len(name) <= MOST_FRAME and _OURS.fullmatch(name) and _MADE_UP not in name
    return name if known else None


def _frames(stack: Any) -> list[str]:
    """Class and method of each frame of Kafka, Scala or Java, the innermost first."""
    found = []
    for one in stack if isinstance(stack, list) else ():
        name, method = (_class(one.get("className")), one.get("methodName")) if isinstance(one, dict) else (None, None)
        if name is None or not isinstance(method, str) or not _METHOD.fullmatch(method):
            continue
        if len(name) + len(method) < MOST_FRAME:
            found.append(f"{name}.{method}")
    return found[:KEPT_FRAMES]
