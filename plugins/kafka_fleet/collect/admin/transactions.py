"""Transactions as their coordinators tell them: takes an admin client and brokers, gives listings and descriptions.

KIP-664 (brokers from 3.0 on): ListTransactions asks a broker for the transactions that it coordinates, and
DescribeTransactions for the timeout, the start and the partitions of some of them. A listing leaves out transactional
ids that the user may not describe, without an error. The library's own calls end at the first error of one id, and
at a state that they do not know; so the requests are sent from here.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.admin import DescribeTransactionsRequest, ListTransactionsRequest

from kafka_fleet.collect.admin.bisect_batches import Lost, read_bisecting
from kafka_fleet.collect.admin.faults import FAULTS, Late, sentence

# begun and not ended: the state PrepareEpochFence is of the moment before a coordinator aborts
OPEN = ("Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence")
OF_DURATION = 1  # version of ListTransactions from which on a broker filters by age (KIP-994, 3.8)
LONG_MS = 20_000  # clients commit each 100 ms to some seconds; and a producer's own default timeout is 60 s
PROBE = "kafka-fleet-health"  # a name that need not exist: who may not describe it is told so first
SKEW_MS = 60_000  # by which brokers' clocks may be ahead
DESCRIBED = 2_000  # transactions per sweep
_ENDED = (errors.TransactionalIdNotFoundError.errno, errors.NotCoordinatorError.errno)  # between two requests


class Listed(NamedTuple):
    """A transactional id and who says what of it."""

    transactional_id: str
    coordinator: int
    producer_id: int
    state: str


class Described(NamedTuple):
    """A transaction by its coordinator. places: topic and partition of those whose markers are not written."""

    coordinator: int
    producer_id: int
    state: str
    timeout_ms: int
    started_ms: int
    places: frozenset[tuple[str, int]]


def asks_transactions(client: KafkaAdminClient) -> bool:
    """Whether the broker that the library first met knows the request: from 3.0 on."""
    return _version(client) is not None


def _version(client: KafkaAdminClient) -> int | None:
    try:
        return int(client._manager.broker_version_data.api_version(ListTransactionsRequest))
    except (errors.IncompatibleBrokerVersion, errors.UnsupportedVersionError):
        return None


def _list(client: KafkaAdminClient, broker: int, **filters: Any) -> list[Listed]:
    answer = client._manager.run(client._manager.send, ListTransactionsRequest(**filters), broker)
    if answer.error_code:
        raise errors.for_code(answer.error_code)()
    return [
        Listed(one.transactional_id, broker, one.producer_id, one.transaction_state)
        for one in answer.transaction_states
    ]


def _from_each(
    brokers: Iterable[int], in_time: Callable[[], None], ask: Callable[[int], list[Listed]]
) -> tuple[dict[int, list[Listed]], str | None]:
    found: dict[int, list[Listed]] = {}
    refused: list[str] = []
    for broker in sorted(brokers):
        try:
            in_time()
            found[broker] = ask(broker)
        except FAULTS as error:
            refused.append(f"broker {broker}: {sentence(error)}")
            if isinstance(error, Late):
                break
    more = f" (and {len(refused) - 1:,} more brokers)" if len(refused) > 1 else ""
    return found, refused[0] + more if refused else None


def may_list_all(client: KafkaAdminClient, broker: int) -> bool:
    """Whether the user may describe a transactional id of any name: a listing leaves out the others without a word."""
    request = DescribeTransactionsRequest(transactional_ids=[PROBE])
    answer = client._manager.run(client._manager.send, request, broker)
    refused = errors.TransactionalIdAuthorizationFailedError.errno
    return all(one.error_code != refused for one in answer.transaction_states)


def open_listed(
    client: KafkaAdminClient, brokers: Iterable[int], in_time: Callable[[], None]
) -> tuple[dict[int, list[Listed]], str | None]:
    """Transactions that have begun and not ended, by coordinator, and a sentence of the brokers that tell none.

    Where brokers filter by age, only those open for longer than LONG_MS.
    """
    filters: dict[str, Any] = {"state_filters": list(OPEN), "producer_id_filters": []}
    if (_version(client) or 0) >= OF_DURATION:
        filters |= {"duration_filter": LONG_MS, "min_version": OF_DURATION}
    return _from_each(brokers, in_time, lambda broker: _list(client, broker, **filters))


def of_producers(
    client: KafkaAdminClient, brokers: Iterable[int], ids: Iterable[int], in_time: Callable[[], None]
) -> tuple[dict[int, list[Listed]], str | None]:
    """What each coordinator has of these producer ids, whatever their state. A broker that answers has its key."""
    filters = {"state_filters": [], "producer_id_filters": sorted(set(ids))}
    return _from_each(brokers, in_time, lambda broker: _list(client, broker, **filters))


def described(
    client: KafkaAdminClient, listed: Iterable[Listed], in_time: Callable[[], None], lost: Lost
) -> dict[str, Described]:
    """Each of these transactions, asked of the coordinator that listed it. One that has ended meanwhile is left out."""
    found: dict[str, Described] = {}
    by_broker: dict[int, list[str]] = {}
    for one in sorted(listed)[:DESCRIBED]:
        by_broker.setdefault(one.coordinator, []).append(one.transactional_id)
    for broker, names in sorted(by_broker.items()):

        def ask(batch: list[str], broker: int = broker) -> Any:
            request = DescribeTransactionsRequest(transactional_ids=batch)
            return client._manager.run(client._manager.send, request, broker)

        for answer in read_bisecting(names, in_time, ask, lost):
            for one in answer.transaction_states:
                if one.error_code and one.error_code not in _ENDED:
                    lost.add(1, sentence(errors.for_code(one.error_code)()))
                elif not one.error_code:
                    found[one.transactional_id] = _described(broker, one)
    return found


def _described(broker: int, one: Any) -> Described:
    places = frozenset((topic.topic, partition) for topic in one.topics for partition in topic.partitions)
    return Described(
        broker,
        one.producer_id,
        one.transaction_state,
        one.transaction_timeout_ms,
        one.transaction_start_time_ms,
        places,
    )


def is_long(one: Described) -> bool:
    """Whether it has been open for longer than LONG_MS, or its coordinator's clock cannot tell by this one."""
    return not -SKEW_MS < time.time() * 1000 - one.started_ms < LONG_MS


def left_out(count: int) -> str | None:
    """A sentence where there are more transactions than are described."""
    return f"{count - DESCRIBED:,} of {count:,} open transactions are not described" if count > DESCRIBED else None
