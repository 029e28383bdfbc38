-- Which brokers have the counters of errors, and whether clients are known where that matters.
-- in:  error_spans, client_sweeps, declared_producers, produce_errors
-- out: intervals of each broker; errors of each cluster that tells no client; connections without a name, and of old
--      Java clients or fleets of declared producers, which may lose what no broker counts
WITH declared AS (
    SELECT
        cluster,
        count(*) AS fleets
    FROM declared_producers
    WHERE without_retries OR default_zero
    GROUP BY cluster
)

SELECT
    cluster,
    'errors' AS need,
    broker,
    count(*) AS amount,
    NULL AS total
FROM error_spans
GROUP BY cluster, broker
UNION ALL
SELECT
    e.cluster,
    'clients' AS need,
    NULL AS broker,
    try_sum(e.errors) AS amount,
    NULL AS total
FROM produce_errors AS e
LEFT ANTI JOIN client_sweeps AS s ON e.cluster = s.cluster
LEFT ANTI JOIN declared AS d ON e.cluster = d.cluster
WHERE e.cause IS NOT NULL
GROUP BY e.cluster
UNION ALL
SELECT
    cluster,
    'lost_connections' AS need,
    NULL AS broker,
    coalesce(max(nameless), 0) AS amount,
    coalesce(max(old_java), 0) AS total
FROM client_sweeps
GROUP BY cluster
UNION ALL
SELECT
    cluster,
    'lost_connections' AS need,
    NULL AS broker,
    0 AS amount,
    fleets AS total
FROM declared
