-- Intervals of one broker process over which its counters of error codes can be compared.
-- in:  intervals, raw_brokers, raw_broker_metrics, raw_request_errors
-- out: one row per broker and interval. A counter of an error appears with its first one, so it is 0 where the read
--      shows none; that needs a read that would have shown it: whole, or with other error codes in it.
WITH shown AS (
    SELECT DISTINCT
        cluster,
        broker,
        sweep_at
    FROM raw_request_errors
    WHERE request IN ('Produce', 'Fetch')
),

reads AS (
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at
    FROM raw_brokers AS b
    INNER JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    LEFT JOIN shown AS s ON b.cluster = s.cluster AND b.broker = s.broker AND b.sweep_at = s.sweep_at
    -- brokers before 1.0 do not count errors by code
    WHERE s.cluster IS NOT NULL OR (b.outcome = 'ok' AND m.release NOT LIKE '0.%')
)

SELECT
    i.cluster,
    i.broker,
    i.kind,
    i.from_sweep,
    i.to_sweep,
    i.from_at,
    i.to_at,
    i.seconds
FROM intervals AS i
INNER JOIN reads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
LEFT JOIN reads AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
WHERE i.same_process AND i.seconds > 0 AND (i.kind = 'start' OR f.cluster IS NOT NULL)
