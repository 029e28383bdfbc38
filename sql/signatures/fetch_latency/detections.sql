-- Brokers whose consumers wait out fetch.max.wait.ms although records have arrived.
-- out: one row per cluster, broker and cause: its windows of the day together. mass_*: the share of fetches that waited
--      so long; quantiles bound it, they do not give it
WITH found AS (
    SELECT
        cluster,
        broker,
        cause,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS seconds,
        try_divide(try_sum(expired), try_sum(fetches)) AS expired_ratio,
        try_cast(try_sum(try_cast(excess AS DECIMAL(28, 9))) AS DOUBLE) AS excess,
        try_sum(if(proven, try_cast(excess AS DECIMAL(28, 9)), NULL)) AS proven_excess,
        try_sum(if(proven, try_cast(seconds AS DECIMAL(28, 9)), NULL)) AS proven_seconds,
        try_cast(try_sum(try_cast(busy_fetches AS DECIMAL(28, 9))) AS DOUBLE) AS busy_fetches,
        try_cast(try_sum(try_cast(legal_expired AS DECIMAL(28, 9))) AS DOUBLE) AS legal_expired,
        try_cast(try_sum(try_cast(legal_fetches AS DECIMAL(28, 9))) AS DOUBLE) AS legal_fetches,
        try_sum(bytes_out) AS bytes_out,
        try_sum(carried_bytes) AS carried_bytes,
        max(batches_per_s) AS batches_per_s,
        max_by(last_sweep, to_at) AS last_sweep,
        1000 * max_by(wait_s, to_at) AS wait_ms,
        max_by(1000 * wait_s - greatest(5, 20 * wait_s), to_at) AS low,
        max_by(1000 * wait_s + greatest(5, 20 * wait_s), to_at) AS high
    FROM caused_windows
    WHERE cause IS NOT NULL
    GROUP BY cluster, broker, cause
)

SELECT
    f.*,
    if(
        f.proven_seconds >= t.min_seconds
        AND f.proven_excess >= if(f.cause = 'redirect', t.min_redirects, t.min_expired),
        'conclusive', 'suggestive'
    ) AS strength,
    row_number() OVER (PARTITION BY f.cluster ORDER BY f.excess DESC, f.broker ASC, f.cause ASC) AS ordinal,
    f.excess / greatest(coalesce(f.busy_fetches, 1), 1) AS busy_ratio,
    try_divide(f.legal_expired, f.legal_fetches) AS healthy_ratio,
    greatest(
        0,
        greatest(
            0, if(q.p50_ms <= f.high, 0.5D, 0), if(q.p75_ms <= f.high, 0.75D, 0), if(q.p95_ms <= f.high, 0.95D, 0),
            if(q.p98_ms <= f.high, 0.98D, 0), if(q.p99_ms <= f.high, 0.99D, 0), if(q.p999_ms <= f.high, 0.999D, 0)
        )
        - least(
            1, if(q.p50_ms >= f.low, 0.5D, 1), if(q.p75_ms >= f.low, 0.75D, 1), if(q.p95_ms >= f.low, 0.95D, 1),
            if(q.p98_ms >= f.low, 0.98D, 1), if(q.p99_ms >= f.low, 0.99D, 1), if(q.p999_ms >= f.low, 0.999D, 1)
        )
    ) AS mass_at_least,
    least(
        1, if(q.p50_ms > f.high, 0.5D, 1), if(q.p75_ms > f.high, 0.75D, 1), if(q.p95_ms > f.high, 0.95D, 1),
        if(q.p98_ms > f.high, 0.98D, 1), if(q.p99_ms > f.high, 0.99D, 1), if(q.p999_ms > f.high, 0.999D, 1)
    )
    - greatest(
        0, if(q.p50_ms < f.low, 0.5D, 0), if(q.p75_ms < f.low, 0.75D, 0), if(q.p95_ms < f.low, 0.95D, 0),
        if(q.p98_ms < f.low, 0.98D, 0), if(q.p99_ms < f.low, 0.99D, 0), if(q.p999_ms < f.low, 0.999D, 0)
    ) AS mass_at_most
FROM found AS f
INNER JOIN fetch_latency_thresholds AS t ON f.cluster = t.cluster
LEFT JOIN consumer_fetch_times AS q
    ON f.cluster = q.cluster AND f.broker = q.broker AND f.last_sweep = q.sweep_at AND q.phase = 'RemoteTimeMs'
WHERE f.seconds >= t.min_seconds AND f.excess >= if(f.cause = 'redirect', t.min_redirects, t.min_expired)
