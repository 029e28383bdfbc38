"""The two bulk POSTs of a sweep of one broker: takes an endpoint, gives the answers to each, or why there are none."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from kafka_fleet.collect.connections.http import Endpoint, Failure
from kafka_fleet.collect.jolokia import columns
from kafka_fleet.collect.jolokia.responses import decode, one_object
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

QUERY = "?includeRequest=false&ignoreErrors=true&serializeException=false&includeStackTrace=false"
REQUESTS = 40  # of one sweep of one broker; an agent that refuses every bulk is given up there
# Worth one more try. Refusals are not, nor are timeouts: the other bulk is asked for all the same, and 5xx were tried
# twice by the endpoint.
RETRIED = frozenset({"cut_off", "dns"})

Answers = Future[list[Any]]  # to one bulk: an entry per bean


def _send(endpoint: Endpoint, beans: list[Bean]) -> bytearray:
    body = json.dumps([mbeans.read_request(bean) for bean in beans]).encode()
    try:
        return endpoint.send("POST", endpoint.url.rstrip("/") + "/" + QUERY, body)
    except Failure as failure:
        if failure.status != 400:
            raise
        raise one_object(len(beans), "400") from None  # other agents say the same with HTTP 200 and one object


def _bulk(endpoint: Endpoint, beans: list[Bean], tried: Answers | None = None) -> list[Any]:
    """One answer per bean. tried: the first try, if it was made already."""
    for attempt in (1, 2):
        try:
            return tried.result() if tried and attempt == 1 else decode(_send(endpoint, beans), beans)
        except Failure as failure:
            if attempt == 2 or failure.kind not in RETRIED:
                spoiled = failure.kind == "protocol" and "one object" in failure.detail and len(beans) > 1
                if spoiled and endpoint.requests < REQUESTS:
                    break  # one name the agent will not parse spoils the whole bulk: halve it
                raise
    middle = len(beans) // 2
    found: list[Any] = []
    for half in (beans[:middle], beans[middle:]):
        try:
            found += _bulk(endpoint, half)
        except Failure as failure:
            if failure.kind != "protocol" or len(half) > 1:
                raise
            found.append({"status": 400, "error": failure.detail})
    return found


class Try(NamedTuple):
    """One bulk asked for: the middle of its request, and its answers, which may still be taken apart."""

    beans: list[Bean]
    middle: datetime
    answers: Answers


def _try(endpoint: Endpoint, beans: list[Bean], aside: ThreadPoolExecutor) -> Try:
    sent, begun = datetime.now(UTC), time.monotonic()
    answers = Answers()
    try:
        body = _send(endpoint, beans)
    except Failure as failure:
        answers.set_exception(failure)
        return Try(beans, sent, answers)
    middle = _middle(sent, begun)
    answers = aside.submit(decode, body, beans)
    if len(body) <= columns.SMALL:  # it may be a refusal, after which nothing more is to be asked
        wait([answers])
    return Try(beans, middle, answers)


def _settled(endpoint: Endpoint, one: Try) -> tuple[Try, list[Any] | Failure]:
    """What became of a bulk, tried again where that may help."""
    if one.answers.exception() is None:
        return one, one.answers.result()
    sent, begun = datetime.now(UTC), time.monotonic()
    try:
        answers = _bulk(endpoint, one.beans, one.answers)
    except Failure as failure:
        return one, failure
    return one._replace(middle=_middle(sent, begun)), answers


def _middle(sent: datetime, begun: float) -> datetime:
    """The middle of a request that ends now: a clock that is set meanwhile does not move it."""
    return sent + timedelta(seconds=(time.monotonic() - begun) / 2)


def bulks(endpoint: Endpoint, ready: Callable[[], object]) -> Iterator[tuple[Try, list[Any] | Failure]]:
    """Both bulks of a sweep, one request at a time; a large answer is taken apart while the next one is waited for."""
    tries: list[Try] = []
    with ThreadPoolExecutor(1) as aside:
        for request in (mbeans.PARTITIONS, mbeans.BROKER):
            if request == mbeans.BROKER:
                ready()
            tries.append(_try(endpoint, mbeans.beans(request), aside))
            while tries and (tries[-1].answers.done() or request == mbeans.BROKER):
                yield _settled(endpoint, tries.pop(0))
