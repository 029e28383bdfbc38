-- Which brokers have the counters of errors, and whether clients are known where that matters.
-- in:  broker_days, error_spans, client_sweeps, declared_producers, produce_errors, retriable_errors_thresholds
-- out: one row per broker, and one per cluster whose clients are not known, or may lose what no broker counts
WITH clients AS (
    SELECT
        t.cluster,
        t.min_errors,
        max(s.cluster) IS NOT NULL AS are_told,
        coalesce(max(s.nameless) >= t.min_nameless, FALSE) OR coalesce(max(s.old_java) > 0, FALSE) AS may_lose
    FROM retriable_errors_thresholds AS t
    LEFT JOIN client_sweeps AS s ON t.cluster = s.cluster
    GROUP BY t.cluster, t.min_errors, t.min_nameless
),

counted AS (
    SELECT
        cluster,
        try_sum(errors) AS errors
    FROM produce_errors
    WHERE cause IS NOT NULL
    GROUP BY cluster
),

judged AS (
    SELECT
        c.cluster,
        e.errors,
        c.min_errors,
        c.are_told,
        c.may_lose,
        exists(
            SELECT 1
            FROM declared_producers AS d
            WHERE c.cluster = d.cluster AND (d.without_retries OR d.default_zero)
        ) AS are_declared
    FROM clients AS c
    LEFT JOIN counted AS e ON c.cluster = e.cluster
)

SELECT
    b.cluster,
    'errors' AS need,
    b.broker,
    exists(
        SELECT 1
        FROM error_spans AS s
        WHERE b.cluster = s.cluster AND b.broker = s.broker
    ) AS is_met,
    NULL AS reason,
    NULL AS amount
FROM broker_days AS b
WHERE b.is_broker
UNION ALL
SELECT
    cluster,
    'clients' AS need,
    NULL AS broker,
    -- without any such error it does not matter who is connected
    are_told OR are_declared OR coalesce(errors, 0) < min_errors AS is_met,
    CASE WHEN may_lose OR are_declared THEN 'not_counted' END AS reason,
    errors AS amount
FROM judged
