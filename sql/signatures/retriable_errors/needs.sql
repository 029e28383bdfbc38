-- Which brokers have the counters of errors, and whether clients are known where that matters.
-- out: intervals of each broker; errors of each cluster that tells no client; at most connections without a name and
--      of old Java clients in a sweep, or that producers are declared, which may lose what no broker counts;
--      sweeps that lack what clients push
WITH clients AS (
    SELECT
        cluster,
        try_sum(nameless) AS nameless,
        try_sum(old_java) AS old_java
    FROM listener_clients
    GROUP BY cluster, sweep_at
    UNION ALL
    SELECT
        cluster,
        0 AS nameless,
        1 AS old_java
    FROM declared_producers
)

SELECT
    cluster,
    'errors' AS need,
    broker,
    count(*) AS amount,
    NULL AS total
FROM broker_counters
WHERE errors_known
GROUP BY cluster, broker
UNION ALL
SELECT
    e.cluster,
    'clients' AS need,
    NULL AS broker,
    try_sum(e.errors) AS amount,
    NULL AS total
FROM produce_errors AS e
LEFT ANTI JOIN listener_clients AS o ON e.cluster = o.cluster
LEFT ANTI JOIN declared_producers AS d ON e.cluster = d.cluster
-- a producer tells of itself that it met them
LEFT ANTI JOIN producer_losses AS l ON e.cluster = l.cluster
WHERE e.cause IS NOT NULL
GROUP BY e.cluster
UNION ALL
SELECT
    cluster,
    'lost_connections' AS need,
    NULL AS broker,
    max(nameless) AS amount,
    max(old_java) AS total
FROM clients
GROUP BY cluster
UNION ALL
-- where a Prometheus is asked for what clients push
SELECT
    cluster,
    'clients_push' AS need,
    NULL AS broker,
    unread_sweeps AS amount,
    NULL AS total
FROM client_reads
