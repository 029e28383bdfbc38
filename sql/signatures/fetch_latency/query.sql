-- Do consumers wait out fetch.max.wait.ms although records have arrived?
-- in:  caused_windows (made of the numbered files beside this one, in their order)
-- out: one row per cluster, broker and cause that is detected; signature.yaml has the words and the thresholds
WITH found AS (
    SELECT
        cluster,
        broker,
        cause,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        try_cast(try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS DOUBLE) AS seconds,
        try_sum(fetches) AS fetches,
        try_sum(expired) AS expired,
        try_cast(try_sum(try_cast(excess AS DECIMAL(28, 9))) AS DOUBLE) AS excess,
        try_cast(try_sum(CASE WHEN proven THEN try_cast(excess AS DECIMAL(28, 9)) END) AS DOUBLE) AS proven_excess,
        try_cast(try_sum(CASE WHEN proven THEN try_cast(seconds AS DECIMAL(28, 9)) END) AS DOUBLE) AS proven_seconds,
        try_cast(try_sum(try_cast(busy_fetches AS DECIMAL(28, 9))) AS DOUBLE) AS busy_fetches,
        try_cast(try_sum(try_cast(legal_expired AS DECIMAL(28, 9))) AS DOUBLE) AS legal_expired,
        try_cast(try_sum(try_cast(legal_fetches AS DECIMAL(28, 9))) AS DOUBLE) AS legal_fetches,
        try_sum(bytes_out) AS bytes_out,
        try_sum(carried_bytes) AS carried_bytes,
        max(batches_per_s) AS batches_per_s,
        max_by(wait_s, to_at) AS wait_s,
        max_by(p50_ms, to_at) AS p50_ms,
        max_by(p75_ms, to_at) AS p75_ms,
        max_by(p95_ms, to_at) AS p95_ms,
        max_by(p98_ms, to_at) AS p98_ms,
        max_by(p99_ms, to_at) AS p99_ms,
        max_by(p999_ms, to_at) AS p999_ms,
        sort_array(array_distinct(flatten(collect_list(coalesce(topics, array()))))) AS topics,
        sort_array(array_distinct(flatten(collect_list(coalesce(groups, array()))))) AS groups
    FROM caused_windows
    WHERE cause IS NOT NULL
    GROUP BY cluster, broker, cause
),

-- the wait's band and the known points (share of fetches, ms) of the latency distribution
points AS (
    SELECT
        *,
        1000 * wait_s - greatest(5, 20 * wait_s) AS low_ms,
        1000 * wait_s + greatest(5, 20 * wait_s) AS high_ms,
        array(
            STRUCT(0.0D AS p, -1.0D AS ms),
            STRUCT(0.5D AS p, p50_ms AS ms),
            STRUCT(0.75D AS p, p75_ms AS ms),
            STRUCT(0.95D AS p, p95_ms AS ms),
            STRUCT(0.98D AS p, p98_ms AS ms),
            STRUCT(0.99D AS p, p99_ms AS ms),
            STRUCT(0.999D AS p, p999_ms AS ms),
            STRUCT(1.0D AS p, 1e9D AS ms)
        ) AS knots
    FROM found
),

banded AS (
    SELECT
        *,
        array_max(transform(filter(knots, k -> k.ms <= high_ms), k -> k.p)) AS below_high,
        array_min(transform(filter(knots, k -> k.ms >= low_ms), k -> k.p)) AS in_band,
        array_min(transform(filter(knots, k -> k.ms > high_ms), k -> k.p)) AS above_band,
        array_max(transform(filter(knots, k -> k.ms < low_ms), k -> k.p)) AS below_band
    FROM points
)

SELECT
    b.cluster,
    b.cause,
    b.from_at,
    b.to_at,
    b.excess,
    b.bytes_out,
    b.carried_bytes,
    b.batches_per_s,
    concat('broker ', b.broker) AS place,
    CASE
        WHEN
            b.proven_seconds >= :min_seconds
            AND b.proven_excess >= CASE b.cause WHEN 'redirect' THEN :min_redirects ELSE :min_expired END
            THEN 'conclusive'
        ELSE 'suggestive'
    END AS strength,
    concat(
        array(concat('broker ', b.broker)),
        transform(b.topics, x -> concat('topic ', x)),
        transform(b.groups, x -> concat('group ', x))
    ) AS subjects,
    try_divide(b.expired, b.fetches) AS expired_ratio,
    b.excess / greatest(coalesce(b.busy_fetches, 1), 1) AS busy_ratio,
    try_divide(b.legal_expired, b.legal_fetches) AS healthy_ratio,
    1000 * b.wait_s AS wait_ms,
    -- quantiles bound the share inside the band of the wait, they do not give it
    array_max(array(0.0D, b.below_high - b.in_band)) AS mass_at_least,
    b.above_band - b.below_band AS mass_at_most
FROM banded AS b
WHERE
    b.seconds >= :min_seconds
    AND b.excess >= CASE b.cause WHEN 'redirect' THEN :min_redirects ELSE :min_expired END
ORDER BY b.cluster, b.cause, b.broker
