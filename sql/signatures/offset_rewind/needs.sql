-- Whether a step back could be seen, in committed offsets and in log ends.
-- in:  cluster_days, offset_reads, broker_days, intervals, offset_rewind_thresholds
-- out: one row per cluster, and one per broker or one without a broker where none is known
SELECT
    c.cluster,
    'offset_rewinds' AS need,
    NULL AS broker,
    coalesce(o.covered, 0) >= t.min_coverage AS is_met,
    NULL AS reason,
    coalesce(o.covered, 0) AS amount
FROM cluster_days AS c
INNER JOIN offset_rewind_thresholds AS t ON c.cluster = t.cluster
LEFT JOIN offset_reads AS o ON c.cluster = o.cluster
UNION ALL
SELECT
    c.cluster,
    'log_end_losses' AS need,
    b.broker,
    -- a read that was cut off does not tell of all logs
    coalesce(b.ok_reads + b.partial_reads > 0, FALSE)
    AND EXISTS (
        SELECT 1
        FROM intervals AS i
        WHERE b.cluster = i.cluster AND b.broker = i.broker AND i.kind = 'sweeps'
    ) AS is_met,
    CASE WHEN b.cluster IS NULL THEN 'no_broker' END AS reason,
    NULL AS amount
FROM cluster_days AS c
LEFT JOIN broker_days AS b ON c.cluster = b.cluster AND b.is_broker
