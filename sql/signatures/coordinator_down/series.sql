-- Failed partitions, answers without a coordinator, and the size of the log of offsets, of brokers that are detected.
-- in:  coordinator_down_detections, broker_counters, coordinator_intervals
-- out: one row per detected cause and broker and interval of the day
SELECT
    d.cluster,
    c.from_at,
    c.to_at,
    d.cause AS chart,
    d.coordinated AS object_detail,
    CASE d.cause
        WHEN 'failed' THEN c.offsets_failed
        WHEN 'growing' THEN c.offsets_log_bytes / 1e9D
        WHEN 'loading' THEN coalesce(if(d.coordinated = 'groups', a.loading, a.transactions_loading), 0)
        ELSE coalesce(if(d.coordinated = 'groups', a.unavailable, a.transactions_unavailable), 0)
    END AS amount,
    try_cast(d.broker AS STRING) AS object_name
FROM coordinator_down_detections AS d
INNER JOIN broker_counters AS c ON d.cluster = c.cluster AND d.broker = c.broker
LEFT JOIN coordinator_intervals AS a
    ON c.cluster = a.cluster AND c.broker = a.broker AND c.to_sweep = a.to_sweep AND c.kind = 'sweeps'
WHERE d.ordinal <= 4 AND c.kind = 'sweeps'
