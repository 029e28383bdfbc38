-- Points of the day for the letter's chart: retriable Produce errors per interval, of the causes that are detected.
-- in:  produce_errors, error_spans
-- out: one row per point: cluster, title, unit, threshold, from_at, to_at, value
WITH causes AS (
    SELECT
        cluster,
        cause
    FROM produce_errors
    WHERE cause IS NOT NULL AND may_lose
    GROUP BY cluster, cause
    HAVING try_sum(errors) >= :min_errors
),

-- brokers of a cluster are read a moment apart; the sweep joins them
sweeps AS (
    SELECT
        cluster,
        to_sweep,
        min(from_at) AS from_at,
        max(to_at) AS to_at
    FROM error_spans
    WHERE kind = 'sweeps'
    GROUP BY cluster, to_sweep
),

sums AS (
    SELECT
        cluster,
        cause,
        to_sweep,
        try_sum(errors) AS errors
    FROM produce_errors
    WHERE cause IS NOT NULL AND kind = 'sweeps'
    GROUP BY cluster, cause, to_sweep
)

SELECT
    s.cluster,
    s.from_at,
    s.to_at,
    'batches' AS unit,
    NULL AS threshold,
    concat('Produce errors that a retry mends, ', c.cause) AS title,
    coalesce(e.errors, 0) AS ratio
FROM sweeps AS s
INNER JOIN causes AS c ON s.cluster = c.cluster
LEFT JOIN sums AS e ON s.cluster = e.cluster AND s.to_sweep = e.to_sweep AND c.cause = e.cause
ORDER BY s.cluster, title, s.to_at
