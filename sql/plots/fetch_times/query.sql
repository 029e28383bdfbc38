-- Quantiles of consumer fetches per broker: of the wait for records, and the longest of the whole request.
-- out: one row per broker, quantile and sweep before which something was fetched
WITH reads AS (
    SELECT
        *,
        lag(observations) OVER (PARTITION BY cluster, broker, phase ORDER BY sweep_at) AS observations_before
    FROM consumer_fetch_times
    WHERE phase IN ('RemoteTimeMs', 'TotalTimeMs')
),

-- without a fetch since the sweep before, the quantiles are those of long ago
fresh AS (
    SELECT
        *,
        max(CASE WHEN phase = 'RemoteTimeMs' THEN p99_ms ELSE 0 END) OVER (PARTITION BY cluster, broker) AS longest_ms
    FROM reads
    WHERE observations > 0 AND observations != observations_before
),

ranked AS (
    SELECT
        *,
        dense_rank() OVER (PARTITION BY cluster ORDER BY longest_ms DESC, broker ASC) AS panel_place
    FROM fresh
),

quantiles AS (
    SELECT
        cluster,
        broker,
        read_at,
        panel_place,
        max(panel_place) OVER (PARTITION BY cluster) AS panel_count,
        if(phase = 'RemoteTimeMs', p50_ms, NULL) AS p50_wait,
        if(phase = 'RemoteTimeMs', p75_ms, NULL) AS p75_wait,
        if(phase = 'RemoteTimeMs', p99_ms, NULL) AS p99_wait,
        if(phase = 'TotalTimeMs', p99_ms, NULL) AS p99_in_all
    FROM ranked
    QUALIFY panel_place <= :most_panels
)

SELECT
    cluster,
    'broker' AS panel,
    broker AS panel_object,
    panel_place,
    panel_count,
    series,
    4 AS series_count,
    read_at AS from_at,
    read_at AS to_at,
    amount,
    CASE series WHEN 'p50_wait' THEN 1 WHEN 'p75_wait' THEN 2 WHEN 'p99_wait' THEN 3 ELSE 4 END AS place
FROM quantiles
    UNPIVOT (amount FOR series IN (p50_wait, p75_wait, p99_wait, p99_in_all))
