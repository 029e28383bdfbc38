"""Raw tables of what a sweep learned elsewhere than of Kafka: of hosts, JVMs, logs, clients: what a row is, columns."""

import pyarrow as pa

from kafka_fleet.schema.arrow import UTC, Described

ENDPOINT_TABLES: Described = {
    "certificates": (
        "One row per address that a sweep spoke to, or was to: until when the certificate is valid that it showed.",
        [
            ("broker", pa.int32(), "broker that has the address; null: none says that it has, as with a load balancer"),
            ("read_at", UTC, "when the handshake ended; null: there was none"),
            ("service", pa.string(), "listener (of Kafka) or agent (Jolokia, or a metrics endpoint)"),
            ("address", pa.string(), "host and port that were asked for"),
            ("tls", pa.bool_(), "false: plain text, so there is no certificate"),
            ("subject", pa.string(), "common name of the certificate, else the first name that it is for"),
            ("issuer", pa.string(), "common name of who signed it"),
            ("not_after", UTC, "when it expires, at most ten years after the sweep; null: not read"),
            ("verified", pa.bool_(), "whether it was trusted for this name"),
            ("detail", pa.string(), "why it was not, or could not be read"),
        ],
    ),
    "log_marks": (
        "Where log marks are collected (docs/log_marks.md): one row per broker and log that says what was read of it, "
        "and one per mark of which there are lines.",
        [
            ("broker", pa.int32(), "broker id"),
            ("log", pa.string(), "broker, cleaner or kernel"),
            ("read_at", UTC, "up to when it was counted; null when it was not read"),
            ("outcome", pa.string(), "ok or failed"),
            ("detail", pa.string(), "why it failed; what is incomplete"),
            ("counted_from", UTC, "from when on lines are counted; when it failed: from when on they still have to be"),
            ("mark", pa.string(), "id of the mark; null in the row that says what was read"),
            ("port", pa.int32(), "port that the lines name; null: none"),
            ("lines", pa.int64(), "lines from counted_from to read_at"),
            ("number", pa.int64(), "sum of the numbers in these lines (logs, ms); null: they have none"),
            ("first_at", UTC, "the first of them, or of the last run of them without a pause of a minute"),
            ("last_at", UTC, "the last of them"),
        ],
    ),
    "deadlocked_threads": (
        "Where a broker's JVM finds threads that wait for each other for ever: one row per thread, at most 16.",
        [
            ("broker", pa.int32(), "broker id"),
            ("read_at", UTC, "middle of the last bulk read before it"),
            ("cycle", pa.int32(), "which circle of threads it is in, from 0; null: one of a circle was not told"),
            ("thread", pa.string(), "name of the thread"),
            ("waits_for", pa.string(), "class of the lock that it waits for; null: of neither Kafka, Scala nor Java"),
            ("frames", pa.list_(pa.string()), "class.method of Kafka, Scala and Java on its stack, innermost first"),
        ],
    ),
    "hosts": (
        "One row per broker whose node_exporter is declared.",
        [
            ("broker", pa.int32(), "broker id"),
            ("read_at", UTC, "middle of the request; null when it failed"),
            ("outcome", pa.string(), "ok or failed"),
            ("detail", pa.string(), "why it failed; the metrics that were given twice and so have no value"),
            ("listen_overflows", pa.int64(), "TcpExt ListenOverflows, since boot"),
            ("listen_drops", pa.int64(), "TcpExt ListenDrops, since boot"),
            ("syncookies_sent", pa.int64(), "TcpExt SyncookiesSent, since boot"),
            ("syncookies_received", pa.int64(), "TcpExt SyncookiesRecv, since boot"),
            ("tcp_syncookies", pa.int64(), "net.ipv4.tcp_syncookies; null without the sysctl collector"),
            ("somaxconn", pa.int64(), "net.core.somaxconn; null without the sysctl collector"),
            ("tcp_max_syn_backlog", pa.int64(), "net.ipv4.tcp_max_syn_backlog; null without the sysctl collector"),
            ("boot_time_s", pa.int64(), "boot time, s since epoch"),
            ("scaled_connections", pa.int64(), "to the listeners, with window scaling; null: no script counts them"),
            ("unscaled_connections", pa.int64(), "to the listeners, without scaling, with timestamps or SACK"),
            ("bare_connections", pa.int64(), "to the listeners, with none of the three, as SYN cookies leave them"),
        ],
    ),
    "client_metrics": (
        "Where a Prometheus has metrics of clients, which they push (KIP-714) or an exporter in their JVM has "
        "(docs/client_metrics.md): one row per client, receiver and topic, and one per client and receiver of all.",
        [
            ("client_id", pa.string(), "client.id; null: the receiver does not tell"),
            (
                "client_instance_id",
                pa.string(),
                "id of the client process (KIP-714), or client.id, @ and its exporter's address; null: not told",
            ),
            (
                "instance",
                pa.string(),
                "label `instance`, of the receiver or of the client's exporter; null: the series has none",
            ),
            ("topic", pa.string(), "topic; null: all topics of the client"),
            (
                "software_version",
                pa.string(),
                "release of its Java library; null: not told, as by all that push and rows of a topic",
            ),
            ("read_at", UTC, "time of the latest of the samples"),
            ("record_sends", pa.int64(), "records of batches sent, each attempt counted; record-send-total"),
            ("record_errors", pa.int64(), "records that were given up; record-error-total"),
            ("record_retries", pa.int64(), "records that were sent again; record-retry-total"),
            ("queue_time_avg_ms", pa.float64(), "ms that a batch waited in the client; record-queue-time-avg"),
            ("queue_time_max_ms", pa.float64(), "ms that a batch waited in the client, at most; record-queue-time-max"),
        ],
    ),
}
