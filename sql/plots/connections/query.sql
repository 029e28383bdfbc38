-- Connections that listeners held, and made per second.
-- out: one row per broker, listener and interval, for what it held at its end and for what it made in it
WITH points AS (
    SELECT
        cluster,
        broker,
        listener,
        from_at,
        to_at,
        try_cast(held AS DOUBLE) AS held,
        try_divide(created, seconds) AS made
    FROM listener_connections
    WHERE NOT ran_back
),

most AS (
    SELECT
        *,
        max(amount) OVER (PARTITION BY cluster, panel, broker, listener) AS highest
    FROM points UNPIVOT (amount FOR panel IN (held, made))
),

ranked AS (
    SELECT
        *,
        dense_rank() OVER (PARTITION BY cluster, panel ORDER BY highest DESC, broker ASC, listener ASC) AS place
    FROM most
)

SELECT
    cluster,
    panel,
    place,
    to_at,
    amount,
    broker AS series_object,
    listener AS series_detail,
    'listener' AS series,
    if(panel = 'held', 1, 2) AS panel_place,
    if(panel = 'held', to_at, from_at) AS from_at,
    max(place) OVER (PARTITION BY cluster, panel) AS series_count
FROM ranked
QUALIFY place <= :most_series
