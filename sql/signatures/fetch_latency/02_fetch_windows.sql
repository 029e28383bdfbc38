-- Fetches and expiries per broker and window, and the wait that expires there.
-- in:  fetch_spans, request_times
-- out: one row per cluster, broker and window; wait_s is the plateau of the quantiles, else the client's default;
--      longest_s is the longest of the intervals that are summed
WITH totals AS (
    SELECT
        cluster,
        broker,
        time_window,
        try_cast(try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS DOUBLE) AS seconds,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        max(to_sweep) AS to_sweep,
        max(seconds) AS longest_s,
        try_sum(consumer_fetches) AS fetches,
        try_sum(expired_consumer_fetches) AS expired
    FROM fetch_spans
    GROUP BY cluster, broker, time_window
),

-- the plateau: the quantile in the middle of the expired part, where two neighbouring quantiles agree
caps AS (
    SELECT
        t.*,
        q.p50_ms,
        q.p75_ms,
        q.p95_ms,
        q.p98_ms,
        q.p99_ms,
        q.p999_ms,
        q.min_ms,
        q.max_ms,
        CASE
            WHEN t.expired < 0.1 * t.fetches THEN :wait_ms
            WHEN
                abs(q.p75_ms - q.p50_ms) <= greatest(10, 0.04 * q.p75_ms) AND t.expired >= 0.5 * t.fetches
                THEN q.p50_ms
            WHEN abs(q.p95_ms - q.p75_ms) <= greatest(10, 0.04 * q.p95_ms) THEN q.p75_ms
            WHEN abs(q.p98_ms - q.p95_ms) <= greatest(10, 0.04 * q.p98_ms) THEN q.p95_ms
            ELSE :wait_ms
        END AS plateau_ms
    FROM totals AS t
    LEFT JOIN request_times AS q
        ON
            t.cluster = q.cluster
            AND t.broker = q.broker
            AND t.to_sweep = q.sweep_at
            AND q.request = 'FetchConsumer'
            AND q.phase = 'RemoteTimeMs'
)

SELECT
    *,
    CASE
        WHEN plateau_ms IS NULL OR plateau_ms < 20 OR abs(plateau_ms - :wait_ms) <= 0.06 * :wait_ms THEN :wait_ms
        ELSE plateau_ms
    END / 1000.0D AS wait_s
FROM caps
