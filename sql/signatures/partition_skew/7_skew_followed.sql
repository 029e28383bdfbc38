-- Topics whose partitions are hot (or cold) where their leaders are slow, and the Produce times of both sides.
-- in:  skew_contrasts, skew_units
-- out: one row per cluster and topic with the cause leader_bound or adaptive
WITH followed AS (
    SELECT
        *,
        CASE
            WHEN
                ratio >= :min_leader_ratio
                AND ln(ratio / :cured_ratio) >= :noise_z * noise
                AND between_share >= :min_between_share
                AND hot_windows >= :min_windows
                AND hot_records >= :min_window_share * records
                AND ratio >= :min_window_ratio * coalesce(calm_ratio, 0)
                THEN 'leader_bound'
            WHEN
                ratio <= :max_adaptive_ratio
                AND -ln(greatest(ratio, 1e-6)) >= :noise_z * noise
                AND between_share >= :min_between_share
                AND cold_windows >= :min_windows
                AND cold_records >= :min_window_share * records
                AND (calm_ratio IS NULL OR ratio * :min_window_ratio <= calm_ratio)
                THEN 'adaptive'
        END AS cause
    FROM skew_contrasts
),

leaders AS (
    SELECT
        u.cluster,
        u.topic,
        u.broker,
        u.pace,
        try_cast(try_sum(try_cast(u.mean_ms_sum AS DECIMAL(38, 9))) AS DOUBLE) AS mean_ms_sum,
        try_cast(try_sum(try_cast(u.p50_ms_sum AS DECIMAL(38, 9))) AS DOUBLE) AS p50_ms_sum,
        try_cast(try_sum(try_cast(u.p99_ms_sum AS DECIMAL(38, 9))) AS DOUBLE) AS p99_ms_sum,
        try_sum(u.requests) AS requests
    FROM skew_units AS u
    INNER JOIN followed AS f ON u.cluster = f.cluster AND u.topic = f.topic
    WHERE u.contrasted AND u.pace IN ('slow', 'timely') AND f.cause IS NOT NULL
    GROUP BY u.cluster, u.topic, u.broker, u.pace
),

times AS (
    SELECT
        s.cluster,
        s.topic,
        max(CASE WHEN s.pace = 'slow' THEN try_divide(s.mean_ms_sum, s.requests) END) AS slow_mean_ms,
        max_by(
            try_divide(s.p50_ms_sum, s.requests), struct(try_divide(s.mean_ms_sum, s.requests), s.broker)
        ) FILTER (WHERE s.pace = 'slow') AS slow_p50_ms,
        max_by(
            try_divide(s.p99_ms_sum, s.requests), struct(try_divide(s.mean_ms_sum, s.requests), s.broker)
        ) FILTER (WHERE s.pace = 'slow') AS slow_p99_ms,
        max(CASE WHEN s.pace = 'timely' THEN try_divide(s.mean_ms_sum, s.requests) END) AS timely_mean_ms,
        max(CASE WHEN s.pace = 'timely' THEN try_divide(s.p99_ms_sum, s.requests) END) AS timely_p99_ms,
        sort_array(collect_set(CASE WHEN s.pace = 'slow' THEN s.broker END)) AS brokers
    FROM leaders AS s
    GROUP BY s.cluster, s.topic
)

SELECT
    f.cluster,
    f.topic,
    f.cause,
    f.from_at,
    f.to_at,
    f.windows,
    f.hot_windows,
    f.cold_windows,
    f.ratio,
    f.noise,
    f.timely_share,
    f.between_share,
    f.slow_correlation,
    f.mean_correlation,
    f.p99_correlation,
    f.gini,
    f.max_over_median,
    f.robust_z,
    f.top_share,
    t.slow_mean_ms,
    t.slow_p50_ms,
    t.slow_p99_ms,
    t.timely_mean_ms,
    t.timely_p99_ms,
    t.brokers
FROM followed AS f
INNER JOIN times AS t ON f.cluster = t.cluster AND f.topic = t.topic
