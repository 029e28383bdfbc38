-- Quantiles of consumer fetches per broker: of the wait for records, and the longest of the whole request.
-- in:  request_times, broker_days
-- out: one row per broker, quantile and sweep before which something was fetched; and a sentence per cluster on brokers
--      that were not read, and one on those that nobody fetched from
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
),

-- the first sweep shows only what was before it, so a fetch is seen from the second one on
fetched AS (
    SELECT
        b.cluster,
        b.broker,
        count(r.broker) AS sweeps,
        coalesce(max(r.observations) > min(r.observations), FALSE) AS was_fetched_from
    FROM broker_days AS b
    LEFT JOIN request_times AS r
        ON b.cluster = r.cluster AND b.broker = r.broker AND r.request = 'FetchConsumer' AND r.phase = 'RemoteTimeMs'
    WHERE b.is_broker
    GROUP BY b.cluster, b.broker
),

silent AS (
    SELECT
        cluster,
        CASE
            WHEN sweeps = 0 THEN 'fetch times were not read on broker '
            WHEN sweeps = 1 THEN 'fetch times were read only once on broker '
            ELSE 'no consumer fetched from broker '
        END AS said,
        sort_array(collect_list(broker)) AS brokers
    FROM fetched
    WHERE NOT was_fetched_from
    GROUP BY cluster, said
)

SELECT
    p.cluster,
    concat('broker ', p.broker) AS panel,
    'ms' AS unit,
    p.panel_place,
    p.panel_count,
    p.point.series,
    p.point.place,
    4 AS series_count,
    p.read_at AS from_at,
    p.read_at AS to_at,
    p.point.amount,
    NULL AS missing
FROM points AS p
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
        said, array_join(transform(slice(brokers, 1, 10), b -> cast(b AS STRING)), ', '),
        CASE WHEN size(brokers) > 10 THEN concat(' and ', size(brokers) - 10, ' more') ELSE '' END
    ) AS missing
FROM silent
