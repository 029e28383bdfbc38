"""The bound of every column of every raw table, with its reason. A column that has none is a mistake, and a KeyError.

What is measured is bounded by its unit, names by what they name. The far side may send anything that its protocol can
hold: a time in nanoseconds, a committed offset of 2^63 - 1, a release of many megabytes. Differences of two values
within bounds never leave a BIGINT, and offsets can be summed over half a million partitions.
"""

from functools import cache

import pyarrow as pa

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.config_names import LONGEST_NAME, LONGEST_VALUE
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.constraints import Bound, Flag, Items, Moments, Numbers, Text

TOPIC = Text(255)  # Kafka allows 249, and 255 before 0.10
NAME = Text(255)  # listeners, hosts, racks, log directories' MBeans, clients' software: in use are some tens
GROUP = Text(255)  # as topics: Kafka allows 32,767, in use are some tens, and each fact of commits repeats them
MEMBER = Text(300)  # client.id, a hyphen and a UUID
OWN = Text(64)  # words of this program
SENTENCE = Text(4096, own=True)
URL = Text(2048)
ID = Numbers(0, 2**31 - 1)  # of brokers, partitions, processors: below 0 there are none

# of one partition: at 100,000 records/s it takes five and a half years; 2^19 such partitions add up to a BIGINT
OFFSET = Numbers(-1, 2**44 - 1)
COUNT = Numbers(-1, 2**40)  # things that a cluster has: a million million is none
EVENTS = Numbers(-1, 2**58)  # since a process began: records, bytes at 10 GB/s for 300 days, nanoseconds for nine years
CODE = Numbers(-1, 2**31 - 1)
LAG = Numbers(-(2**44), 2**44)  # may be below 0 for a moment: both ends are read one after the other
DURATION = Numbers(-(10**12), 10**12)  # ms: 30 years; below 0 where a clock was set back
SKEW = Numbers(-3_155_760_000, 3_155_760_000)  # s: a hundred years; a clock that begins at 1970 is off by less
RATE = Numbers(-(2**40), 2**40)
HELD = Numbers(-1, 2**50)  # bytes of one log or directory: a petabyte

_BY_UNIT: dict[str, Bound] = {
    "offset": OFFSET,
    "ms since epoch": Moments(1_000),
    "records": EVENTS,
    "bytes": EVENTS,
    "ns": EVENTS,
    "ms": DURATION,
    "s": DURATION,
}
_BY_UNIT |= dict.fromkeys(("BrokerState code", "state code", "feature level", "0 or 1", "epoch", "node id"), CODE)
_BY_UNIT |= dict.fromkeys(("ratio", "percent", "fetches/s"), RATE)
_BY_UNIT |= dict.fromkeys(
    ("fetches", "events", "commits", "rebalances", "partition batches", "partition reads", "requests", "responses",
     "authentications"), EVENTS
)  # fmt: skip
_BY_UNIT |= dict.fromkeys(
    ("replicas", "partitions", "threads", "topics", "brokers", "producer ids", "directories", "offsets", "groups",
     "controllers", "logs", "connections", "descriptors"), COUNT
)  # fmt: skip

# a column that is called so, in any table
_BY_NAME: dict[str, Bound] = {
    "cluster": Text(63),
    "broker": ID, "partition": ID, "leader": ID, "controller": ID, "network_processor": ID,
    "port": Numbers(-1, 65_535),
    "address": Text(300), "service": OWN, "subject": NAME, "issuer": NAME,
    "topic": TOPIC,
    "topic_id": OWN, "kind": OWN, "outcome": OWN, "admin_outcome": OWN, "environment": OWN, "collector_version": OWN,
    "source": OWN, "release": OWN, "commit_id": OWN, "signature": OWN, "metric": OWN,
    "group_id": GROUP, "client_id": GROUP, "member_id": MEMBER,
    "detail": SENTENCE, "admin_detail": SENTENCE, "client_metrics_detail": SENTENCE, "reason": SENTENCE,
    "scaled_connections": COUNT, "unscaled_connections": COUNT, "bare_connections": COUNT,
    "slot": COUNT, "slots": COUNT, "offset_ms": DURATION, "spent_ms": DURATION,
    "jolokia_url": URL, "metrics_url": URL, "imported_from": URL,
    "log_dir": Text(4096),  # the longest path of Linux
    "name": Text(LONGEST_NAME), "value": Text(LONGEST_VALUE),  # as they are read
    "declaration": Text(16 * 2**20),  # a fleet file has no more
    "owners": Items(100_000, Text(1024)),  # the fleet file's own
    "missing": Items(1_000, Text(1024)), "admin_missing": Items(100, NAME),
    "replicas": Items(1_000, ID), "isr": Items(1_000, ID),
    "min_level": Numbers(-1, 2**15 - 1), "max_level": Numbers(-1, 2**15 - 1), "producer_epoch": Numbers(-1, 2**15 - 1),
    "committed_offset": OFFSET, "previous_log_end_offset": OFFSET, "previous_log_start_offset": OFFSET,
    "producer_id": Numbers(-1, 2**62), "last_sequence": CODE,  # ids are compared and never added up
    "last_timestamp_ms": Moments(1_000, none=True),  # a client's own
    "boot_time_s": Moments(1),
    "log": OWN, "mark": OWN, "lines": EVENTS, "number": EVENTS,
    "listed": COUNT, "long_open": COUNT, "coordinator": ID, "transactional_id": GROUP, "timeout_ms": DURATION,
    "coordinator_epoch": CODE, "start_offset": OFFSET, "last_stable_offset": OFFSET, "high_watermark": OFFSET,
    "started_ms": Moments(1_000),
    "replica": ID, "leader_epoch": CODE, "directory_id": OWN, "log_end_offset": OFFSET,
    "leader_ms": Moments(1_000), "last_fetch_ms": Moments(1_000), "last_caught_up_ms": Moments(1_000),
    "seconds": Numbers(0, 86_400), "bytes": EVENTS, "values": EVENTS, "unusable": EVENTS,
    "agent_clock_skew_s": SKEW,
    "lag": LAG, "fetcher_max_lag": LAG,
    "client_instance_id": NAME, "instance": NAME,
    "record_sends": EVENTS, "record_errors": EVENTS, "record_retries": EVENTS,
    "queue_time_avg_ms": DURATION, "queue_time_max_ms": DURATION,
    "cycle": ID, "thread": NAME, "waits_for": NAME, "frames": Items(100, NAME),
    "size_bytes": HELD, "uncleanable_bytes": HELD, "total_bytes": HELD, "usable_bytes": HELD,
    "remote_copy_lag_bytes": HELD,
}  # fmt: skip
_NAMES = ("host", "rack", "kafka_cluster_id", "feature", "state", "protocol_type", "client_host", "listener",
          "software", "software_version", "request", "version", "phase", "error", "acceptor")  # fmt: skip
_COUNTERS = ("listen_overflows", "listen_drops", "syncookies_sent", "syncookies_received", "tcp_syncookies",
             "somaxconn", "tcp_max_syn_backlog")  # fmt: skip
_BY_NAME |= dict.fromkeys(_NAMES, NAME) | dict.fromkeys(_COUNTERS, EVENTS)

# columns without which a row says of nothing what it says, beside those of MBeans' names
_KEYS = {
    "brokers": ("broker",),
    "topics": ("topic", "partition"),
    "broker_configs": ("broker", "name"),
    "topic_configs": ("topic", "name"),
    "features": ("feature",),
    "groups": ("group_id",),
    "group_members": ("group_id", "member_id"),
    "group_assignments": ("group_id", "member_id", "topic", "partition"),
    "group_offsets": ("group_id", "topic", "partition"),
    "producers": ("broker", "topic", "partition"),
    "disks": ("broker", "log_dir"),
    "transaction_coordinators": ("broker",),
    "open_transactions": ("broker", "topic", "partition", "producer_id", "start_offset"),
    "quorum_replicas": ("replica", "is_voter"),
    "hosts": ("broker",),
    "log_marks": ("broker", "log"),
    "certificates": ("service", "address"),
    "deadlocked_threads": ("broker",),
    "looks": ("broker", "signature"),
    "look_reads": ("broker", "signature", "slot", "offset_ms", "metric", "topic", "partition"),
}
_OTHERWISE: dict[tuple[str, str], Bound] = {("look_reads", "value"): EVENTS}  # a number; settings have texts


@cache
def keys(table: str) -> tuple[str, ...]:
    """Columns of a raw table without which a row is of no use."""
    made = mbeans.tables().get(table)
    return ("broker", *(column for column, _kind in made.keys.values())) if made else _KEYS.get(table, ())


@cache
def bounds(table: str) -> dict[str, Bound]:
    """The bound of every column of a raw table by name. Raises KeyError for a column that has none."""
    made = mbeans.tables().get(table)
    units = {column.name: column.unit for column in made.columns.values()} if made else {}
    return {
        field.name: _OTHERWISE.get((table, field.name)) or _bound(field, units.get(field.name))
        for field in raw_schemas()[table]
    }


def _bound(field: pa.Field, unit: str | None) -> Bound:
    if pa.types.is_timestamp(field.type):
        return Moments(1_000_000)
    if pa.types.is_boolean(field.type):
        return Flag()
    return _BY_NAME[field.name] if unit is None or field.name in _BY_NAME else _BY_UNIT[unit]
