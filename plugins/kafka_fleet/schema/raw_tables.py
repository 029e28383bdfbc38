"""Schemas of the raw tables: names, types, units; what a sweep lands and any Parquet reader finds.

Tables filled over Jolokia take their columns from `schema/mbeans.yaml`; the others are written out here. Every row
names its cluster and its sweep; rows of a broker add the broker id and `read_at`, the middle of the request that
read it. Times are UTC microseconds by the collector's clock. Rows of STATES hold for the sweeps from `sweep_at` to
`last_sweep_at`.
"""

from functools import cache

import pyarrow as pa

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.arrow import UTC, Described
from kafka_fleet.schema.endpoint_tables import ENDPOINT_TABLES
from kafka_fleet.schema.look_tables import LOOK_TABLES
from kafka_fleet.schema.quorum_tables import QUORUM_TABLES
from kafka_fleet.schema.transaction_tables import TRANSACTION_TABLES

SCHEMA_VERSION = 1
STATES_VERSION = 2  # of sweeps that are joined with STATES as runs: older programs would misread them

_TYPES = {"string": pa.string(), "int": pa.int32(), "long": pa.int64(), "double": pa.float64()}
_INTS, _STRINGS = pa.list_(pa.int32()), pa.list_(pa.string())

_SWEEP = [("cluster", pa.string(), "fleet file id"), ("sweep_at", UTC, "start of the sweep")]
_BROKER = [("broker", pa.int32(), "broker id"), ("read_at", UTC, "middle of the request that read the row")]

_CONFIG = [
    ("name", pa.string(), "config name"),
    ("value", pa.string(), "value; null when redacted or unset"),
    ("redacted", pa.bool_(), "true: sensitive, not on the allow-list, or too long; the value was not stored"),
    ("source", pa.string(), "ConfigSource of DescribeConfigs, e.g. DEFAULT_CONFIG, STATIC_BROKER_CONFIG"),
    ("is_default", pa.bool_(), "the broker says that this is the default"),
]


# name -> (what a row is, columns beyond those of the sweep)
ADMIN_TABLES: Described = {
    "sweeps": (
        "One row per sweep: what was asked and what came of it.",
        [
            ("ended_at", UTC, "end of the sweep"),
            ("kafka_cluster_id", pa.string(), "cluster.id; null when the admin protocol failed"),
            ("controller", pa.int32(), "controller by the admin protocol; in KRaft any broker may be named"),
            ("admin_outcome", pa.string(), "ok, partial or failed"),
            ("admin_detail", pa.string(), "what the admin protocol did not answer"),
            ("admin_missing", _STRINGS, "admin tables that could not be read"),
            ("collector_version", pa.string(), "version of this program"),
            ("previous_sweep_at", UTC, "the sweep whose log ends this one's partitions carry; null: of none"),
            (
                "client_metrics_detail",
                pa.string(),
                "why client_metrics lacks rows; null: it lacks none, or none are declared",
            ),
            ("imported_from", pa.string(), "the Prometheus that the sweep was imported from; null: it was collected"),
        ],
    ),
    "declarations": (
        "One row per sweep: the cluster's entry of the fleet file. It names connections and holds no credentials.",
        [
            ("environment", pa.string(), "production, staging or development"),
            ("owners", _STRINGS, "mail addresses"),
            ("declaration", pa.string(), "the entry as canonical JSON"),
        ],
    ),
    "brokers": (
        "One row per broker and sweep, also for brokers that did not answer.",
        [
            ("broker", pa.int32(), "broker id"),
            ("read_at", UTC, "middle of the last Jolokia request; null when none was answered"),
            ("host", pa.string(), "advertised host; null when the admin protocol failed"),
            ("port", pa.int32(), "advertised port"),
            ("rack", pa.string(), "broker.rack; null when unset"),
            (
                "is_broker",
                pa.bool_(),
                "false for a KRaft controller, declared or found in the quorum",
            ),
            ("jolokia_url", pa.string(), "the Jolokia endpoint that was asked; null when none is declared"),
            ("metrics_url", pa.string(), "the metrics endpoint that was asked; null when none is declared"),
            ("outcome", pa.string(), "ok, partial, truncated or failed"),
            ("kind", pa.string(), "kind of failure, one word; null when ok"),
            ("detail", pa.string(), "sentence; never holds an answer's body"),
            ("seconds", pa.float64(), "duration of the reads, s"),
            ("bytes", pa.int64(), "bytes of the answers after decoding"),
            ("values", pa.int64(), "MBean values taken"),
            ("unusable", pa.int64(), "values that were no finite number in range, or names that were none"),
            ("missing", _STRINGS, "MBeans that the broker does not have, or its metrics endpoint does not show"),
            ("agent_clock_skew_s", pa.float64(), "agent's clock less the collector's, s, to whole seconds"),
        ],
    ),
    "topics": (
        "One row per partition, from the cluster's metadata.",
        [
            ("topic", pa.string(), "topic"),
            ("topic_id", pa.string(), "topic id, changes when a topic is re-created; null before 2.8"),
            ("partition", pa.int32(), "partition"),
            ("leader", pa.int32(), "broker id; null when there is none"),
            ("replicas", _INTS, "assigned brokers, the preferred leader first"),
            ("isr", _INTS, "in-sync brokers"),
            ("internal", pa.bool_(), "internal topic"),
        ],
    ),
    "broker_configs": ("One row per broker and config.", [("broker", pa.int32(), "broker id"), *_CONFIG]),
    "topic_configs": ("One row per topic and config.", [("topic", pa.string(), "topic"), *_CONFIG]),
    "features": (
        "One row per finalized feature, e.g. metadata.version.",
        [
            ("feature", pa.string(), "feature name"),
            ("min_level", pa.int32(), "finalized minimum"),
            ("max_level", pa.int32(), "finalized maximum: the level in force"),
        ],
    ),
    "groups": (
        "One row per consumer group.",
        [
            ("group_id", pa.string(), "group id"),
            ("state", pa.string(), "Stable, Empty, PreparingRebalance, ..."),
            ("protocol_type", pa.string(), "consumer, connect, ... ; empty for offset-only groups"),
        ],
    ),
    "group_members": (
        "One row per member of a group.",
        [
            ("group_id", pa.string(), "group id"),
            ("member_id", pa.string(), "member id"),
            ("client_id", pa.string(), "client.id"),
            ("client_host", pa.string(), "address the member connects from"),
        ],
    ),
    "group_assignments": (
        "One row per partition assigned to a member of a group of consumers; none where its bytes tell nothing.",
        [
            ("group_id", pa.string(), "group id"),
            ("member_id", pa.string(), "member id"),
            ("topic", pa.string(), "topic"),
            ("partition", pa.int32(), "partition"),
        ],
    ),
    "group_offsets": (
        "One row per committed offset.",
        [
            ("group_id", pa.string(), "group id"),
            ("topic", pa.string(), "topic"),
            ("partition", pa.int32(), "partition"),
            ("committed_offset", pa.int64(), "next offset the group would read"),
            ("read_at", UTC, "when it was read: later than the log ends of the same sweep"),
        ],
    ),
    "producers": (
        "One row per replica and producer id that it knows, of brokers of 2.8 and of some 200 partitions: each of all "
        "its replicas.",
        [
            ("broker", pa.int32(), "broker id of the replica"),
            ("read_at", UTC, "when it was asked for"),
            ("topic", pa.string(), "topic"),
            ("partition", pa.int32(), "partition"),
            ("producer_id", pa.int64(), "producer id; null in the one row of a replica that knows none"),
            ("producer_epoch", pa.int32(), "producer epoch"),
            ("last_sequence", pa.int32(), "last sequence number"),
            ("last_timestamp_ms", pa.int64(), "time of the last batch, ms since epoch"),
        ],
    ),
    "disks": (
        "One row per broker of 3.3 or later and log directory: the volume that the directory is on (KIP-827).",
        [
            ("broker", pa.int32(), "broker id"),
            ("read_at", UTC, "when it had answered"),
            ("log_dir", pa.string(), "absolute path of the log directory"),
            ("total_bytes", pa.int64(), "size of the volume, bytes; two directories may share one"),
            ("usable_bytes", pa.int64(), "bytes of it that the broker may still write"),
        ],
    ),
}

# tables that describe: most rows are the same in every sweep, and a joined day stores them once (store/raw/states.py)
STATES = ("topics", "topic_configs", "broker_configs", "features", "declarations", "groups", "group_assignments")
_RUN = [("last_sweep_at", UTC, "last of the sweeps in a row that had the row; null: it is of this sweep alone")]

# of which queries see the last sweeps of earlier days too, as views of their own
EARLIER = ("partitions", "group_offsets")

# what landing adds to a row that was measured
ADDED: dict[str, list[tuple[str, pa.DataType, str]]] = {
    "partitions": [
        ("previous_log_end_offset", pa.int64(), "log end that this broker, then its leader, had at previous_sweep_at"),
        ("previous_log_start_offset", pa.int64(), "the same of the log start"),
    ],
}


def _fields(columns: list[tuple[str, pa.DataType, str]]) -> list[pa.Field]:
    return [pa.field(name, kind, metadata={"about": about}) for name, kind, about in columns]


@cache
def raw_schemas() -> dict[str, pa.Schema]:
    """Schema of every raw table by name. Field metadata `about` holds the column's meaning and unit."""
    found: dict[str, pa.Schema] = {}
    for table in mbeans.tables().values():
        keys = [(name, _TYPES[kind], f"MBean property {p}") for p, (name, kind) in table.keys.items()]
        columns = [(c.name, _TYPES[c.type], f"{c.unit}; {c.mbean} {c.attribute}") for c in table.columns.values()]
        every = [*_SWEEP, *_BROKER, *keys, *columns, *ADDED.get(table.name, [])]
        found[table.name] = pa.schema(_fields(every), metadata={"about": table.about})
    written = {**ADMIN_TABLES, **TRANSACTION_TABLES, **QUORUM_TABLES, **ENDPOINT_TABLES, **LOOK_TABLES}
    for name, (about, columns) in written.items():
        run = _RUN if name in STATES else []
        found[name] = pa.schema(_fields([*_SWEEP, *columns, *run]), metadata={"about": about})
    return found


@cache
def raw_views() -> dict[str, str]:
    """Name of each view that queries read -> its raw table: all tables of the day, and EARLIER of days before it."""
    return {f"raw_{table}": table for table in raw_schemas()} | {f"raw_earlier_{table}": table for table in EARLIER}
