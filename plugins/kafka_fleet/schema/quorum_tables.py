"""Raw table of the KRaft quorum (KIP-595, 836, 853): what a row is, and its columns beyond those of the sweep."""

import pyarrow as pa

from kafka_fleet.schema.arrow import UTC, Described

QUORUM_TABLES: Described = {
    "quorum_replicas": (
        "One row per voter and observer of the metadata log, as its leader describes it (DescribeQuorum), of clusters "
        "with KRaft from 3.3 on. Times are by the leader's own clock.",
        [
            ("read_at", UTC, "when the leader had answered"),
            ("leader", pa.int32(), "node id of the leader, the active controller"),
            ("leader_epoch", pa.int64(), "epoch of the leader: one more with each election that was begun"),
            (
                "high_watermark",
                pa.int64(),
                "offset up to which a majority has the log; null: not known yet",
            ),
            ("replica", pa.int32(), "node id"),
            (
                "directory_id",
                pa.string(),
                "id of its metadata directory; null before 3.9 and of a static quorum",
            ),
            ("is_voter", pa.bool_(), "whether it is a voter; brokers and controllers that are none observe"),
            (
                "log_end_offset",
                pa.int64(),
                "end of its log at its last fetch; null: none from this leader yet",
            ),
            ("leader_ms", pa.int64(), "the leader's clock when it answered, ms since epoch; null before 3.3"),
            ("last_fetch_ms", pa.int64(), "when it fetched last, ms since epoch; null: not from this leader yet"),
            (
                "last_caught_up_ms",
                pa.int64(),
                "when it had all of the log, ms since epoch; null: never yet",
            ),
            ("host", pa.string(), "host of its controller listener; null before 3.9 and of observers"),
            ("port", pa.int32(), "port of it"),
        ],
    ),
}
