"""Raw table of what clients say of themselves by KIP-714: what a row is, and its columns."""

import pyarrow as pa

from kafka_fleet.schema.arrow import UTC, Described

CLIENT_TABLES: Described = {
    "client_metrics": (
        "Where a Prometheus has metrics that clients push (KIP-714, docs/history.md): one row per client, receiver and "
        "topic, and one per client and receiver for all its topics.",
        [
            ("client_id", pa.string(), "client.id; null: the receiver does not tell"),
            ("client_instance_id", pa.string(), "id of this client process by KIP-714; null: the receiver does not tell"),
            ("instance", pa.string(), "label `instance`, of the receiver; null: the series has none"),
            ("topic", pa.string(), "topic; null: all topics of the client"),
            ("read_at", UTC, "time of the latest of the samples"),
            ("record_sends", pa.int64(), "records of batches sent, each attempt counted; record-send-total"),
            ("record_errors", pa.int64(), "records that were given up; record-error-total"),
            ("record_retries", pa.int64(), "records that were sent again; record-retry-total"),
            ("queue_time_avg_ms", pa.float64(), "ms that a batch waited in the client; record-queue-time-avg"),
            ("queue_time_max_ms", pa.float64(), "ms that a batch waited in the client, at most; record-queue-time-max"),
        ],
    ),
}
