"""Raw tables of transactions (KIP-664): what a row is, and its columns beyond those of the sweep."""

import pyarrow as pa

from kafka_fleet.schema.arrow import UTC, Described

TRANSACTION_TABLES: Described = {
    "transaction_coordinators": (
        "One row per broker that told of the transactions that it coordinates, of brokers from 3.0 on.",
        [
            ("broker", pa.int32(), "broker id"),
            ("read_at", UTC, "when it had answered"),
            ("listed", pa.int64(), "transactions that have begun and not ended; from 3.8 on, those older than 20 s"),
            ("long_open", pa.int64(), "those of them that are open for longer than 20 s"),
        ],
    ),
    "open_transactions": (
        "One row per partition and producer whose transaction has been open there for long: those that a coordinator "
        "has for longer than 20 s, and on brokers that count late ones those whose last record is older.",
        [
            ("broker", pa.int32(), "broker id of the leader, which was asked"),
            ("read_at", UTC, "when it had answered"),
            ("topic", pa.string(), "topic"),
            ("partition", pa.int32(), "partition"),
            ("producer_id", pa.int64(), "producer id"),
            ("producer_epoch", pa.int32(), "producer epoch"),
            ("coordinator_epoch", pa.int32(), "epoch of the coordinator that wrote the last marker; -1: none did"),
            ("start_offset", pa.int64(), "offset of the transaction's first record here"),
            ("last_sequence", pa.int32(), "last sequence number of the producer here"),
            ("last_timestamp_ms", pa.int64(), "time of its last record by the producer, ms since epoch"),
            ("last_stable_offset", pa.int64(), "read_committed consumers read up to here; null: not answered"),
            ("high_watermark", pa.int64(), "other consumers read up to here; null: not answered"),
            ("all_asked", pa.bool_(), "every coordinator was asked for the producer id, after the leader"),
            ("transactional_id", pa.string(), "transactional id of the producer id; null: no coordinator told of it"),
            ("coordinator", pa.int32(), "broker id of the coordinator that told of it"),
            ("state", pa.string(), "state of its transaction there: Ongoing, PrepareCommit, CompleteAbort, ..."),
            ("timeout_ms", pa.int64(), "its transaction.timeout.ms"),
            ("started_ms", pa.int64(), "start of its transaction by the coordinator's clock, ms since epoch"),
            ("in_transaction", pa.bool_(), "that transaction has not ended and has this partition; null: not told"),
        ],
    ),
}
