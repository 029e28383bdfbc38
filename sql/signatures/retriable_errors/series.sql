-- Produce errors that a retry mends per interval, of the causes that are detected.
-- out: one row per cluster, cause and sweep: brokers of a cluster are read a moment apart, and the sweep joins them
WITH causes AS (
    SELECT DISTINCT
        cluster,
        cause
    FROM retriable_errors_detections
)

SELECT
    s.cluster,
    'errors' AS chart,
    c.cause AS object_name,
    min(s.from_at) AS from_at,
    max(s.to_at) AS to_at,
    coalesce(try_sum(e.errors), 0) AS amount
FROM broker_counters AS s
INNER JOIN causes AS c ON s.cluster = c.cluster
LEFT JOIN produce_errors AS e
    ON s.cluster = e.cluster AND s.broker = e.broker AND s.kind = e.kind AND s.to_at = e.to_at AND c.cause = e.cause
WHERE s.errors_known AND s.kind = 'sweeps'
GROUP BY s.cluster, c.cause, s.to_sweep
