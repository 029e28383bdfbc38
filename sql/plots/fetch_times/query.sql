-- Quantiles of consumer fetches per broker: of the wait for records, and the longest of the whole request.
-- in:  request_times
-- out: one row per broker, quantile and sweep before which something was fetched
WITH reads AS (
    SELECT
        cluster,
        broker,
        read_at,
        phase,
        observations,
        p50_ms,
        p75_ms,
        p99_ms,
        lag(observations) OVER (PARTITION BY cluster, broker, phase ORDER BY sweep_at) AS observations_before
    FROM request_times
    WHERE request = 'FetchConsumer' AND phase IN ('RemoteTimeMs', 'TotalTimeMs')
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

counted AS (
    SELECT
        *,
        max(panel_place) OVER (PARTITION BY cluster) AS panel_count
    FROM ranked
),

quantiles AS (
    SELECT
        cluster,
        broker,
        read_at,
        panel_place,
        panel_count,
        CASE
            WHEN phase = 'RemoteTimeMs'
                THEN
                    array(
                        named_struct('place', 1, 'series', 'p50 wait', 'amount', p50_ms),
                        named_struct('place', 2, 'series', 'p75 wait', 'amount', p75_ms),
                        named_struct('place', 3, 'series', 'p99 wait', 'amount', p99_ms)
                    )
            ELSE array(named_struct('place', 4, 'series', 'p99 in all', 'amount', p99_ms))
        END AS shown
    FROM counted
    WHERE panel_place <= :most_panels
),

points AS (
    SELECT
        *,
        explode(shown) AS point
    FROM quantiles
)

SELECT
    p.cluster,
    'ms' AS unit,
    p.panel_place,
    p.panel_count,
    p.point.series,
    p.point.place,
    4 AS series_count,
    p.read_at AS from_at,
    p.read_at AS to_at,
    p.point.amount,
    concat('broker ', p.broker) AS panel
FROM points AS p
