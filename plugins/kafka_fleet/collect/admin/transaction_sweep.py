"""The transactions of one sweep: takes an admin client and what else the sweep read, gives its two raw tables.

On a quiet cluster it is one request per broker, which transactions are open there, and one of the cluster, whether the
user is told of all. Partitions are asked only where one
has been open for long, or where a broker counts partitions with late transactions (from 3.2 on): such a transaction
may be one that no coordinator knows, so all partitions that this broker leads are asked.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from kafka import errors
from kafka.admin import KafkaAdminClient

from kafka_fleet.collect.admin.bisect_batches import Lost
from kafka_fleet.collect.admin.bootstrap import connected_client, usable_servers
from kafka_fleet.collect.admin.faults import FAULTS, Late, sentence
from kafka_fleet.collect.admin.open_transactions import leaders, read_open
from kafka_fleet.collect.admin.transactions import (
    asks_transactions,
    described,
    is_long,
    left_out,
    may_list_all,
    open_listed,
)

COORDINATORS, OPEN = TRANSACTION_TABLES = ("transaction_coordinators", "open_transactions")
UNSEEN = "not all transactional ids may be described; is Describe allowed on TransactionalId *?"
LATE_S = 10.0  # for the partitions of brokers that count late ones
Rows = list[dict[str, Any]]


def read_transactions(
    client: KafkaAdminClient,
    tables: dict[str, Rows],
    in_time: Callable[[], None],
    fault: Callable[[str, str | None], None],
) -> dict[str, Rows]:
    """Both tables, empty ones included; none of a release that cannot be asked. fault: takes what a table lacks."""
    if not asks_transactions(client):
        return {}
    listed, told = open_listed(client, [row["broker"] for row in tables.get("brokers", [])], in_time)
    if listed and not may_list_all(client, min(listed)):
        listed, told = {}, UNSEEN
    at, lost = datetime.now(UTC), Lost("transactions")
    every = [one for some in listed.values() for one in some]
    known = {name: one for name, one in described(client, every, in_time, lost).items() if is_long(one)}
    fault(COORDINATORS, told)
    fault(COORDINATORS, lost.told())
    fault(COORDINATORS, left_out(len(every)))
    coordinators = [
        {
            "broker": broker,
            "read_at": at,
            "listed": len(some),
            "long_open": sum(one.transactional_id in known for one in some),
        }
        for broker, some in listed.items()
    ]
    places = sorted({place for one in known.values() for place in one.places})
    rows, told = read_open(client, tables, places, {one.producer_id for one in known.values()}, in_time)
    fault(OPEN, told)
    return {COORDINATORS: coordinators, OPEN: rows}


def brokers_with_late(metrics: Iterable[Mapping[str, Any] | pa.Table]) -> set[int]:
    """Brokers that count partitions with late transactions, of the rows of `broker_metrics`."""
    rows = [row for item in metrics for row in (item.to_pylist() if isinstance(item, pa.Table) else [item])]
    return {row["broker"] for row in rows if (row.get("late_transaction_partitions") or 0) > 0}


def read_late(
    servers: list[str], settings: dict[str, Any], deadline_s: float, tables: dict[str, Rows], late: set[int]
) -> tuple[Rows, str | None]:
    """Rows of open_transactions of every partition that these brokers lead, and a sentence where some lack."""
    deadline = time.monotonic() + min(LATE_S, deadline_s)

    def in_time() -> None:
        if time.monotonic() > deadline:
            raise Late

    try:
        client = connected_client(usable_servers(servers)[0], settings, min(LATE_S, deadline_s))
    except (errors.KafkaError, OSError, ValueError, AssertionError) as error:
        return [], f"{type(error).__name__}: {sentence(error)}"
    try:
        places = [place for place, broker in leaders(tables.get("topics", [])).items() if broker in late]
        return read_open(client, tables, places, set(), in_time)
    except FAULTS as error:
        return [], sentence(error)
    finally:
        client.close()
