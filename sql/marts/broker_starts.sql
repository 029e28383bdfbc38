-- How long each broker process took from the start of its JVM to the end of its start-up: app-info's start less the
-- JVM's, or the age at its last read where logs were still to load.
WITH loading AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(remaining_logs) AS remaining_logs
    FROM raw_recoveries
    GROUP BY cluster, broker, sweep_at
)

SELECT
    b.cluster,
    b.broker,
    timestamp_millis(m.jvm_start_ms) AS process_start,
    min(b.read_at) AS first_read,
    max(l.remaining_logs) AS remaining_logs,
    to_date(timestamp_millis(m.jvm_start_ms)) = :ds AS began_today,
    coalesce(
        (max(m.app_start_ms) - m.jvm_start_ms) / 1e3D,
        if(max_by(l.remaining_logs, b.read_at) > 0, (unix_micros(max(b.read_at)) - 1000 * m.jvm_start_ms) / 1e6D, NULL)
    ) AS start_seconds
FROM raw_brokers AS b
INNER JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
LEFT JOIN loading AS l ON b.cluster = l.cluster AND b.broker = l.broker AND b.sweep_at = l.sweep_at
WHERE b.is_broker AND b.read_at IS NOT NULL AND m.jvm_start_ms IS NOT NULL AND to_date(b.sweep_at) = :ds
GROUP BY b.cluster, b.broker, m.jvm_start_ms
