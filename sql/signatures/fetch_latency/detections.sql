-- Brokers whose consumers wait out fetch.max.wait.ms although records have arrived.
-- in:  caused_windows, request_times, fetch_latency_thresholds
-- out: one row per cluster, broker and cause: its windows of the day together. mass_*: bounds of the share of fetches
--      that waited so long: quantiles give no more
WITH found AS (
    SELECT
        cluster,
        broker,
        cause,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS seconds,
        try_sum(fetches) AS fetches,
        try_sum(expired) AS expired,
        try_cast(try_sum(try_cast(excess AS DECIMAL(28, 9))) AS DOUBLE) AS excess,
        try_sum(if(proven, try_cast(excess AS DECIMAL(28, 9)), NULL)) AS proven_excess,
        try_sum(if(proven, try_cast(seconds AS DECIMAL(28, 9)), NULL)) AS proven_seconds,
        try_cast(try_sum(try_cast(busy_fetches AS DECIMAL(28, 9))) AS DOUBLE) AS busy_fetches,
        try_cast(try_sum(try_cast(legal_expired AS DECIMAL(28, 9))) AS DOUBLE) AS legal_expired,
        try_cast(try_sum(try_cast(legal_fetches AS DECIMAL(28, 9))) AS DOUBLE) AS legal_fetches,
        try_sum(bytes_out) AS bytes_out,
        try_sum(carried_bytes) AS carried_bytes,
        max(batches_per_s) AS batches_per_s,
        max_by(wait_s, to_at) AS wait_s,
        max_by(last_sweep, to_at) AS last_sweep
    FROM caused_windows
    WHERE cause IS NOT NULL
    GROUP BY cluster, broker, cause
),

-- the wait's band among the known points of the latency distribution
banded AS (
    SELECT
        f.*,
        q.p50_ms,
        q.p75_ms,
        q.p95_ms,
        q.p98_ms,
        q.p99_ms,
        q.p999_ms,
        1000 * f.wait_s - greatest(5, 20 * f.wait_s) AS low_ms,
        1000 * f.wait_s + greatest(5, 20 * f.wait_s) AS high_ms,
        f.proven_seconds >= t.min_seconds
        AND f.proven_excess >= if(f.cause = 'redirect', t.min_redirects, t.min_expired) AS proven
    FROM found AS f
    INNER JOIN fetch_latency_thresholds AS t ON f.cluster = t.cluster
    LEFT JOIN request_times AS q
        ON
            f.cluster = q.cluster
            AND f.broker = q.broker
            AND f.last_sweep = q.sweep_at
            AND q.request = 'FetchConsumer'
            AND q.phase = 'RemoteTimeMs'
    WHERE f.seconds >= t.min_seconds AND f.excess >= if(f.cause = 'redirect', t.min_redirects, t.min_expired)
)

SELECT
    cluster,
    cause,
    broker,
    from_at,
    to_at,
    excess,
    bytes_out,
    carried_bytes,
    batches_per_s,
    if(proven, 'conclusive', 'suggestive') AS strength,
    try_divide(expired, fetches) AS expired_ratio,
    excess / greatest(coalesce(busy_fetches, 1), 1) AS busy_ratio,
    try_divide(legal_expired, legal_fetches) AS healthy_ratio,
    1000 * wait_s AS wait_ms,
    greatest(
        0,
        greatest(
            0, if(p50_ms <= high_ms, 0.5D, 0), if(p75_ms <= high_ms, 0.75D, 0), if(p95_ms <= high_ms, 0.95D, 0),
            if(p98_ms <= high_ms, 0.98D, 0), if(p99_ms <= high_ms, 0.99D, 0), if(p999_ms <= high_ms, 0.999D, 0)
        )
        - least(
            1, if(p50_ms >= low_ms, 0.5D, 1), if(p75_ms >= low_ms, 0.75D, 1), if(p95_ms >= low_ms, 0.95D, 1),
            if(p98_ms >= low_ms, 0.98D, 1), if(p99_ms >= low_ms, 0.99D, 1), if(p999_ms >= low_ms, 0.999D, 1)
        )
    ) AS mass_at_least,
    least(
        1, if(p50_ms > high_ms, 0.5D, 1), if(p75_ms > high_ms, 0.75D, 1), if(p95_ms > high_ms, 0.95D, 1),
        if(p98_ms > high_ms, 0.98D, 1), if(p99_ms > high_ms, 0.99D, 1), if(p999_ms > high_ms, 0.999D, 1)
    )
    - greatest(
        0, if(p50_ms < low_ms, 0.5D, 0), if(p75_ms < low_ms, 0.75D, 0), if(p95_ms < low_ms, 0.95D, 0),
        if(p98_ms < low_ms, 0.98D, 0), if(p99_ms < low_ms, 0.99D, 0), if(p999_ms < low_ms, 0.999D, 0)
    ) AS mass_at_most,
    row_number() OVER (PARTITION BY cluster ORDER BY proven DESC, excess DESC, broker ASC, cause ASC) AS ordinal
FROM banded
