-- Intervals whose consumer fetches can be judged, with the sums of their window of the day and the wait that expires in
-- it. What idle members may let expire is known by the sweep at the end: one that could not read them is not judged.
-- out: one row per cluster, broker and interval. Of the whole window: window_*, last_sweep, longest_s (its longest
--      interval), fetches, expired, metadata_fetches, and wait_s: the quantiles' plateau, else the client's default
WITH nodes AS (
    SELECT
        *,
        count(*) OVER (PARTITION BY cluster) - 1 AS other_nodes
    FROM broker_days
),

spans AS (
    SELECT
        c.cluster,
        c.broker,
        c.kind,
        c.from_sweep,
        c.to_sweep,
        c.from_at,
        c.to_at,
        c.seconds,
        c.consumer_fetches,
        c.expired_consumer_fetches,
        t.wait_ms AS usual_ms,
        b.other_nodes,
        -- KRaft controllers before 3.3 count the metadata fetches of the other nodes, one each 500 ms, as FetchConsumer
        b.process_roles LIKE '%controller%'
        AND b.was_active_controller
        AND regexp_like(b.kafka_release, '^(2[.]8|3[.][012])[.]') AS serves_metadata,
        -- the interval from process start has no rates of its own to be judged by: those are a window of their own
        if(c.kind = 'start', -1, floor(try_divide(unix_micros(c.to_sweep), 1e6D * t.window_s))) AS time_window
    FROM broker_counters AS c
    INNER JOIN fetch_latency_thresholds AS t ON c.cluster = t.cluster
    INNER JOIN nodes AS b ON c.cluster = b.cluster AND c.broker = b.broker
    LEFT ANTI JOIN cluster_sweeps AS u ON c.cluster = u.cluster AND c.to_sweep = u.sweep_at AND u.groups_missed
    WHERE NOT c.ran_back AND c.expired_consumer_fetches IS NOT NULL
),

windows AS (
    SELECT
        *,
        max(to_sweep) OVER summed AS last_sweep,
        min(from_at) OVER summed AS window_from,
        max(to_at) OVER summed AS window_to,
        try_cast(try_sum(try_cast(seconds AS DECIMAL(28, 9))) OVER summed AS DOUBLE) AS window_s,
        max(seconds) OVER summed AS longest_s,
        try_sum(consumer_fetches) OVER summed AS fetches,
        try_sum(expired_consumer_fetches) OVER summed AS expired
    FROM spans
    WINDOW summed AS (PARTITION BY cluster, broker, time_window)
),

-- the plateau: the quantile in the middle of the expired part, where two neighbouring quantiles agree
plateaus AS (
    SELECT
        w.*,
        CASE
            WHEN w.expired < 0.1 * w.fetches THEN NULL
            WHEN abs(q.p75_ms - q.p50_ms) <= greatest(10, 0.04 * q.p75_ms) AND w.expired >= 0.5 * w.fetches
                THEN q.p50_ms
            WHEN abs(q.p95_ms - q.p75_ms) <= greatest(10, 0.04 * q.p95_ms) THEN q.p75_ms
            WHEN abs(q.p98_ms - q.p95_ms) <= greatest(10, 0.04 * q.p98_ms) THEN q.p95_ms
        END AS plateau_ms
    FROM windows AS w
    LEFT JOIN consumer_fetch_times AS q
        ON w.cluster = q.cluster AND w.broker = q.broker AND w.last_sweep = q.sweep_at AND q.phase = 'RemoteTimeMs'
)

SELECT
    *,
    if(serves_metadata, least(fetches - expired, 2.0D * other_nodes * window_s), 0) AS metadata_fetches,
    if(plateau_ms >= 20 AND abs(plateau_ms - usual_ms) > 0.06 * usual_ms, plateau_ms, usual_ms) / 1000.0D AS wait_s
FROM plateaus
