"""The body of a bulk answer: takes its bytes and the beans that were read, gives an answer per bean, or a Failure.

Answers are matched to reads by their place, so a body that is not to these reads, in this order, is none. Large values
come as columns, which cost no object per value; the rest as plain JSON. The text of the far side is in no Failure.
"""

import json
from collections import Counter
from functools import cache
from types import GenericAlias
from typing import Any

import msgspec
import pyarrow as pa

from kafka_fleet.collect.connections.http import Failure
from kafka_fleet.collect.connections.query_api import LIGHT, check_answer_size
from kafka_fleet.collect.jolokia import columns
from kafka_fleet.collect.jolokia.rows import TWICE
from kafka_fleet.schema.mbeans import Bean, answers_to

AS_COLUMNS, ONE_BY_ONE = 8_000_000, 1_000_000  # lists, objects and commas; a replica has 25, in five patterns


def _loads(text: bytes | bytearray) -> Any:
    """JSON as Python's objects, a name that is twice in one without a value. Raises Failure for what is too large.

    One character beyond U+FFFF makes a text take four bytes for each of its characters. What is large has none, raw
    or escaped: the names of topics and of clients' software are ASCII.
    """
    check_answer_size(text, ONE_BY_ONE)
    if len(text) > LIGHT and not (text.isascii() and b"\\u" not in text):
        raise Failure("too_large", f"{len(text)} bytes, and not all of them are plain ASCII")
    return json.loads(text, object_pairs_hook=_pairs)


def status_of(answer: dict[str, Any]) -> str:
    """The status of an answer for a sentence."""
    status = answer.get("status")
    return str(status) if isinstance(status, int) and abs(status) < 1000 else "missing"  # never text of the far side


def one_object(wanted: int, status: str) -> Failure:
    """The failure of a bulk that was refused as a whole: one name that the agent will not parse spoils all of it."""
    return Failure("protocol", f"one object instead of {wanted} answers (Jolokia status {status})")


class _Entry(msgspec.Struct):
    """One entry of a bulk answer, its value still as text: a view into the body."""

    value: msgspec.Raw = msgspec.Raw(b"null")


@cache
def _entries(count: int) -> msgspec.json.Decoder[tuple[_Entry, ...]]:
    """Reads exactly so many entries: of a million it gives up at the first that is too many."""
    return msgspec.json.Decoder(GenericAlias(tuple, (_Entry,) * count))


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a name that is in it twice has no value: which of them counts would be a guess."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, times in Counter(name for name, _value in pairs).items():
            if times > 1:
                found[name] = TWICE
    return found


def _columnar(body: bytes | bytearray, beans: list[Bean]) -> Any:
    """The answer, values that can be read as columns read so; None when there are none.

    Those values are cut out, and what is left is read as any other answer is: a member that is in it twice is still
    there once, or twice, beside the gap.
    """
    try:
        entries = _entries(len(beans)).decode(body)
    except (msgspec.DecodeError, RecursionError):  # a ValidationError is one: no list, not of objects, not so many
        return None
    found: dict[int, columns.Part] = {}
    rest, end = bytearray(), 0
    begin = pa.py_buffer(body).address
    for place, (bean, entry) in enumerate(zip(beans, entries, strict=True)):
        value = memoryview(entry.value)
        if "*" in bean.mbean and (part := columns.read_columns(bean, value)) is not None:
            found[place] = part
            start = pa.py_buffer(value).address - begin
            rest += memoryview(body)[end:start]
            rest += b"null"
            end = start + len(value)
    if not found:
        return None
    rest += memoryview(body)[end:]
    answer = _loads(rest)
    for place, part in found.items():
        if answer[place]["value"] is None:
            answer[place]["value"] = part
    return answer


def decode(body: bytes | bytearray, beans: list[Bean]) -> list[Any]:
    """One answer per bean, in their order. Raises Failure for what is no answer to this bulk."""
    wanted = len(beans)
    check_answer_size(body, AS_COLUMNS)
    try:
        found = _columnar(body, beans) if len(body) > columns.SMALL else None
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
