-- Connections that listeners held, and made per second.
-- in:  listener_connections, broker_days
-- out: one row per broker, listener and interval, for what it held at its end and for what it made in it; and one
--      sentence per cluster with brokers whose listeners were not read
WITH points AS (
    SELECT
        cluster,
        broker,
        listener,
        1 AS panel_place,
        to_at AS from_at,
        to_at,
        cast(held AS DOUBLE) AS amount
    FROM listener_connections
    WHERE NOT ran_back
    UNION ALL
    SELECT
        cluster,
        broker,
        listener,
        2 AS panel_place,
        from_at,
        to_at,
        created / seconds AS amount
    FROM listener_connections
    WHERE NOT ran_back
),

most AS (
    SELECT
        *,
        max(amount) OVER (PARTITION BY cluster, panel_place, broker, listener) AS highest
    FROM points
    WHERE amount IS NOT NULL
),

ranked AS (
    SELECT
        *,
        dense_rank() OVER (PARTITION BY cluster, panel_place ORDER BY highest DESC, broker ASC, listener ASC) AS place
    FROM most
),

counted AS (
    SELECT
        *,
        max(place) OVER (PARTITION BY cluster, panel_place) AS series_count
    FROM ranked
),

unread AS (
    SELECT
        b.cluster,
        sort_array(collect_set(b.broker)) AS brokers
    FROM broker_days AS b
    LEFT ANTI JOIN listener_connections AS l ON b.cluster = l.cluster AND b.broker = l.broker AND l.held IS NOT NULL
    WHERE b.is_broker
    GROUP BY b.cluster
)

SELECT
    cluster,
    CASE panel_place WHEN 1 THEN 'held' ELSE 'made per second' END AS panel,
    CASE panel_place WHEN 1 THEN 'connections' ELSE 'connections/s' END AS unit,
    panel_place,
    NULL AS panel_count,
    concat('broker ', broker, ', ', listener) AS series,
    place,
    series_count,
    from_at,
    to_at,
    amount,
    NULL AS missing
FROM counted
WHERE place <= :most_series
UNION ALL
SELECT
    cluster,
    NULL AS panel,
    NULL AS unit,
    NULL AS panel_place,
    NULL AS panel_count,
    NULL AS series,
    NULL AS place,
    NULL AS series_count,
    NULL AS from_at,
    NULL AS to_at,
    NULL AS amount,
    concat(
        'connections were not read at two sweeps on broker ',
        array_join(transform(slice(brokers, 1, 10), b -> cast(b AS STRING)), ', '),
        CASE WHEN size(brokers) > 10 THEN concat(' and ', size(brokers) - 10, ' more') ELSE '' END
    ) AS missing
FROM unread
