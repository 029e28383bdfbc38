"""The body of one bulk answer: takes its bytes and the beans that were asked for, gives an entry per bean.

Entries are matched to reads by their place, so an answer that is not to these reads, in this order, is none.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from kafka_fleet.collect import columns
from kafka_fleet.collect.mbeans import Bean, answers_to
from kafka_fleet.collect.transport import Failure


class Repeated(dict[str, Any]):
    """An object with a key more than once: the first value stays, the others are counted."""

    count = 0


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    kept = Repeated(reversed(pairs))
    kept.count = len(pairs) - len(kept)
    return kept


def repeated(value: object) -> int:
    """How many values of an object were left out since their key had one already."""
    return value.count if isinstance(value, Repeated) else 0


def _loads(text: bytes | bytearray) -> Any:
    return json.loads(text, object_pairs_hook=_object)


def status_of(answer: Mapping[str, Any]) -> str:
    """The status of an entry in words; never text of the far side."""
    status = answer.get("status")
    return str(status) if isinstance(status, int) and abs(status) < 1000 else "missing"


def one_object(wanted: int, status: str) -> Failure:
    """The failure of a bulk that was refused as a whole: one name that the agent will not parse spoils all of it."""
    return Failure("protocol", f"one object instead of {wanted} answers (Jolokia status {status})")


class _Entry(msgspec.Struct):
    """One entry of a bulk answer, its members still as text: views into the body."""

    status: msgspec.Raw = msgspec.Raw(b"null")
    value: msgspec.Raw = msgspec.Raw(b"null")
    timestamp: msgspec.Raw = msgspec.Raw(b"null")


_ENTRIES = msgspec.json.Decoder(list[_Entry])


def _columnar(body: bytearray, beans: list[Bean]) -> list[Any] | None:
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
        rest = {"status": json.loads(bytes(entry.status)), "timestamp": json.loads(bytes(entry.timestamp))}
        found.append({**rest, "value": _loads(bytes(entry.value)) if value is None else value})
    return found


def decode(body: bytearray, beans: list[Bean]) -> list[Any]:
    """An entry per bean: a dict with status, timestamp and value. Raises Failure."""
    wanted = len(beans)
    try:
        found = _columnar(body, beans) if len(body) > columns.SMALL else None
        answer = found if found is not None else _loads(body)
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
