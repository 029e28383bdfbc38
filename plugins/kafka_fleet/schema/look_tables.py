"""Raw tables of close looks: what a row is, and its columns beyond those of the sweep."""

import pyarrow as pa

from kafka_fleet.schema.arrow import UTC, Described

LOOK_TABLES: Described = {
    "looks": (
        "One row per broker and check that asked for a close look: the broker read densely for some seconds.",
        [
            ("broker", pa.int32(), "broker id"),
            ("signature", pa.string(), "the check that asked"),
            ("reason", pa.string(), "what it saw, in its own words, with the rates"),
            ("outcome", pa.string(), "ok, partial, failed, or skipped: a bound left no room for it"),
            ("detail", pa.string(), "why it is not whole, and how many partitions are left out"),
            ("started_at", UTC, "when the look began, by the collector's clock; null when skipped"),
            ("seconds", pa.float64(), "duration, s"),
            ("slots", pa.int32(), "readings that were taken"),
        ],
    ),
    "look_reads": (
        "One row per reading and number of a close look: of the broker itself, or of partitions from their leaders.",
        [
            ("broker", pa.int32(), "broker id of the look, whoever answered"),
            ("signature", pa.string(), "the check that asked"),
            ("slot", pa.int32(), "number of the reading, from 0"),
            ("offset_ms", pa.int64(), "ms since started_at, monotonic: the middle between request and answer"),
            ("spent_ms", pa.int64(), "ms between request and answer"),
            ("metric", pa.string(), "name that the check gives the number; high_watermark, last_stable_offset"),
            ("topic", pa.string(), "topic; null for a number of the whole broker"),
            ("partition", pa.int32(), "partition; null for a number of the broker or of a topic"),
            ("value", pa.int64(), "counter since process start, or offset; null when not answered"),
        ],
    ),
}
