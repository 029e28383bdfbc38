"""The body of a bulk answer: takes its bytes and the beans that were read, gives an answer per bean, or a Failure.

Answers are matched to reads by their place, so a body that is not to these reads, in this order, is none. Large values
come as columns, which cost no object per value; the rest as plain JSON. The text of the far side is in no Failure.
"""

import json
from collections import Counter
from typing import Any

import msgspec

from kafka_fleet.collect import columns
from kafka_fleet.collect.mbeans import Bean, answers_to
from kafka_fleet.collect.rows import TWICE
from kafka_fleet.collect.transport import Failure

# JSON of a few bytes can be an object of a hundred: what an answer takes in memory is held to its parts, not its bytes
LIGHT = 4 * 2**20  # bytes; what is smaller is not looked at
AS_COLUMNS, ONE_BY_ONE = 8_000_000, 2_000_000  # lists, objects and commas; a replica has up to 60, in five patterns


def weighed(body: bytes | bytearray, most: int) -> None:
    """Raises Failure for a body of very many parts, before it is taken apart."""
    if len(body) > LIGHT and sum(body.count(mark) for mark in (b"[", b"{", b",")) > most:
        raise Failure("too_large", f"more than {most} parts in {len(body)} bytes")


def status_of(answer: dict[str, Any]) -> str:
    """The status of an answer for a sentence."""
    status = answer.get("status")
    return str(status) if isinstance(status, int) and abs(status) < 1000 else "missing"  # never text of the far side


def one_object(wanted: int, status: str) -> Failure:
    """The failure of a bulk that was refused as a whole: one name that the agent will not parse spoils all of it."""
    return Failure("protocol", f"one object instead of {wanted} answers (Jolokia status {status})")


class _Entry(msgspec.Struct):
    """One entry of a bulk answer, its members still as text: views into the body."""

    status: msgspec.Raw = msgspec.Raw(b"null")
    value: msgspec.Raw = msgspec.Raw(b"null")
    timestamp: msgspec.Raw = msgspec.Raw(b"null")


_ENTRIES = msgspec.json.Decoder(list[_Entry])


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a name that is in it twice has no value: which of them counts would be a guess."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, times in Counter(name for name, _value in pairs).items():
            if times > 1:
                found[name] = TWICE
    return found


def _loads(text: bytes | bytearray) -> Any:
    return json.loads(text, object_pairs_hook=_pairs)


def _columnar(body: bytes | bytearray, beans: list[Bean]) -> list[Any] | None:
    """The entries, values that can be read as columns read so; None when the answer has to be judged as a whole."""
    try:
        entries = _ENTRIES.decode(body)
    except (msgspec.DecodeError, RecursionError):  # a ValidationError is one: no list, or not of objects
        return None
    if len(entries) != len(beans):
        return None
    found = []
    for bean, entry in zip(beans, entries, strict=True):
        value = columns.read(bean, memoryview(entry.value)) if "*" in bean.mbean else None
        if value is None:
            weighed(bytes(entry.value), ONE_BY_ONE)
        rest = {"status": json.loads(bytes(entry.status)), "timestamp": json.loads(bytes(entry.timestamp))}
        found.append({**rest, "value": _loads(bytes(entry.value)) if value is None else value})
    return found


def decode(body: bytes | bytearray, beans: list[Bean]) -> list[Any]:
    """One answer per bean, in their order. Raises Failure for what is no answer to this bulk."""
    wanted = len(beans)
    weighed(body, AS_COLUMNS)
    try:
        found = _columnar(body, beans) if len(body) > columns.SMALL else None
        if found is None:
            weighed(body, ONE_BY_ONE)
        answer = _loads(body) if found is None else found
    except (ValueError, RecursionError):
        if body.lstrip().startswith(b"[") and not body.rstrip().endswith(b"]"):
            raise Failure("cut_off", "the answer ends before its JSON does") from None
        raise Failure("not_json", "the answer is not JSON; is this a Jolokia agent?") from None
    if isinstance(answer, dict):
        if answer.get("status") in (401, 403):
            raise Failure("auth", f"Jolokia status {answer['status']}")
        raise one_object(wanted, status_of(answer))
    if not isinstance(answer, list) or len(answer) != wanted or not all(isinstance(one, dict) for one in answer):
        raise Failure("protocol", f"{len(answer) if isinstance(answer, list) else 'no'} answers to {wanted} reads")
    for place, (bean, entry) in enumerate(zip(beans, answer, strict=True), start=1):
        value = entry.get("value")
        if isinstance(value, dict) and not answers_to(bean, value):
            raise Failure("protocol", f"answer {place} of {wanted} is to another read")
    return answer
