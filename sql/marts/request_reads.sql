-- For how long each broker's counts of old requests were known today: by client library, and by version alone.
-- in:  raw_brokers, raw_broker_metrics, raw_requests, raw_deprecated_requests, broker_intervals
-- out: one row per broker with an interval. A read that is not whole tells of a table where it has rows of it. Before
--      3.7 none is by client
WITH seen AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        1 AS client_rows,
        NULL AS by_client,
        NULL AS by_version
    FROM raw_deprecated_requests
    UNION ALL
    SELECT
        cluster,
        broker,
        sweep_at,
        0 AS client_rows,
        NULL AS by_client,
        version IS NOT NULL AS by_version
    FROM raw_requests
    WHERE request IN ('Produce', 'FetchConsumer')
    UNION ALL
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at,
        0 AS client_rows,
        NOT m.release RLIKE '^([0-2]|3[.][0-6])[.]' AS by_client,
        TRUE AS by_version
    FROM raw_brokers AS b
    INNER JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    WHERE b.outcome = 'ok'
),

reads AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        -- of more clients than are stored some are not known
        coalesce(max(by_client), try_sum(client_rows) BETWEEN 1 AND 999) AS by_client,
        max(by_version) AS by_version
    FROM seen
    GROUP BY cluster, broker, sweep_at
)

SELECT
    i.cluster,
    i.broker,
    try_cast(
        try_sum(
            try_cast(if(t.by_client AND (i.kind = 'start' OR f.by_client), i.seconds, 0D) AS DECIMAL(28, 9))
        ) AS DOUBLE
    ) AS client_seconds,
    try_cast(
        try_sum(
            try_cast(if(t.by_version AND (i.kind = 'start' OR f.by_version), i.seconds, 0D) AS DECIMAL(28, 9))
        ) AS DOUBLE
    ) AS version_seconds
FROM broker_intervals AS i
LEFT JOIN reads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
LEFT JOIN reads AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
WHERE i.same_process AND i.seconds > 0
GROUP BY i.cluster, i.broker
