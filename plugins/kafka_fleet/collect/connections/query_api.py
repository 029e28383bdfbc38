"""What the APIs of a Prometheus and a Loki have in common: one more try, answers of a bounded size and a known form.

The text of the far side is in no Failure.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from kafka_fleet.collect.connections.http import Failure

# JSON of a few bytes can be an object of a hundred: what an answer takes in memory is held to its parts, not its bytes
LIGHT = 4 * 2**20  # bytes; what is smaller is not looked at
AGAIN = frozenset({"cut_off", "timeout", "unreachable"})  # worth one more try; a 5xx had it
LIMITED = 429
PAUSE_S = 1.0  # before it
Answer = TypeVar("Answer")


def check_answer_size(body: bytes | bytearray, most: int) -> None:
    """Raises Failure for a body of very many parts, before it is taken apart."""
    if len(body) > LIGHT and sum(body.count(mark) for mark in (b"[", b"{", b",")) > most:
        raise Failure("too_large", f"more than {most} parts in {len(body)} bytes")


def asked_twice(ask: Callable[[], Answer]) -> Answer:
    """The answer, by one more try of what was cut off or limited. Raises the Failure of the last one."""
    try:
        return ask()
    except Failure as failure:
        if failure.kind not in AGAIN and failure.status != LIMITED:
            raise
    time.sleep(PAUSE_S)
    return ask()


def decoded(body: bytes | bytearray | msgspec.Raw, shape: Any, server: str, parts: int) -> Any:
    """JSON of a shape. server: whose API it is; parts: lists, objects and commas that a body may have.

    Raises Failure.
    """
    if isinstance(body, bytes | bytearray):
        check_answer_size(body, parts)
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.ValidationError:
        raise Failure("protocol", f"the answer has not the form of {server}'s API") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise Failure("not_json", f"the answer is not JSON; is this a {server}?") from None


def said_of(failure: Failure, server: str, query: str) -> str:
    """What a sweep says of it. query: what to look at where the query is refused, a question."""
    sentences = {
        404: f"HTTP 404; is this the address of a {server}?",
        LIMITED: f"the {server} takes no more requests now (HTTP {LIMITED})",
    }
    sentences |= {status: f"the {server} refuses the query (HTTP {status}); {query}" for status in (400, 422)}
    return sentences.get(failure.status or 0, failure.detail)
