-- Connections that listeners held, and made per second.
-- in:  listener_connections
-- out: one row per broker, listener and interval, for what it held at its end and for what it made in it
WITH points AS (
    SELECT
        cluster,
        broker,
        listener,
        1 AS panel_place,
        to_at AS from_at,
        to_at,
        try_cast(held AS DOUBLE) AS amount
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
        try_divide(created, seconds) AS amount
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
)

SELECT
    cluster,
    panel_place,
    place,
    from_at,
    to_at,
    amount,
    broker AS series_object,
    listener AS series_detail,
    'listener' AS series,
    if(panel_place = 1, 'held', 'made') AS panel,
    max(place) OVER (PARTITION BY cluster, panel_place) AS series_count
FROM ranked
QUALIFY place <= :most_series
