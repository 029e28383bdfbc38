-- Topics whose partitions are hot (or cold) where their leaders are slow, and the Produce times of both sides.
-- in:  skew_contrasts, skew_units
-- out: one row per cluster and topic with the cause leader_bound or adaptive. neighbours: the most partitions of one
--      slow leader that are hot together; a single one could as well be a hot key that makes its leader slow.
--      cooled: hot partitions that were as the others while a timely broker led them
WITH followed AS (
    SELECT
        *,
        CASE
            WHEN
                ratio >= :min_leader_ratio
                AND ln(ratio / :cured_ratio) >= :noise_z * noise
                AND between_share >= :min_between_share
                AND hot_windows >= :min_windows
                AND hot_windows >= :min_window_share * windows
                AND ratio >= :min_window_ratio * coalesce(calm_ratio, 0)
                THEN 'leader_bound'
            WHEN
                ratio <= :max_adaptive_ratio
                AND -ln(greatest(ratio, 1e-6)) >= :noise_z * noise
                AND between_share >= :min_between_share
                AND cold_windows >= :min_windows
                AND cold_windows >= :min_window_share * windows
                AND (calm_ratio IS NULL OR ratio * :min_window_ratio <= calm_ratio)
                THEN 'adaptive'
        END AS cause
    FROM skew_contrasts
),

units AS (
    SELECT
        u.*,
        f.cause,
        try_divide(u.weighted_share, u.weight) AS relative_rate,
        u.pace = 'slow' AND try_divide(u.weighted_share, u.weight) >= :min_window_ratio * f.timely_share AS hot
    FROM skew_units AS u
    INNER JOIN followed AS f ON u.cluster = f.cluster AND u.topic = f.topic
    WHERE u.contrasted AND u.pace IN ('slow', 'timely') AND f.cause IS NOT NULL
),

-- hot partitions that another, timely leader led for some time: did they cool down there?
moved AS (
    SELECT
        u.cluster,
        u.topic,
        u.partition,
        u.broker
    FROM units AS u
    INNER JOIN skew_units AS o
        ON u.cluster = o.cluster AND u.topic = o.topic AND u.partition = o.partition AND u.broker != o.broker
    WHERE u.hot AND o.pace = 'timely'
    GROUP BY u.cluster, u.topic, u.partition, u.broker, u.relative_rate
    HAVING
        try_sum(o.windows) >= :min_windows
        AND try_divide(try_cast(try_sum(try_cast(o.weighted_share AS DECIMAL(38, 12))) AS DOUBLE), try_sum(o.weight))
        <= least(u.relative_rate / :min_window_ratio, :min_window_ratio)
),

cooled AS (
    SELECT
        cluster,
        topic,
        count(*) AS cooled
    FROM moved
    GROUP BY cluster, topic
),

leaders AS (
    SELECT
        cluster,
        topic,
        broker,
        pace,
        try_cast(try_sum(try_cast(mean_ms_sum AS DECIMAL(38, 9))) AS DOUBLE) AS mean_ms_sum,
        try_cast(try_sum(try_cast(p50_ms_sum AS DECIMAL(38, 9))) AS DOUBLE) AS p50_ms_sum,
        try_cast(try_sum(try_cast(p99_ms_sum AS DECIMAL(38, 9))) AS DOUBLE) AS p99_ms_sum,
        try_sum(requests) AS requests,
        count_if(hot) AS hot_units
    FROM units
    GROUP BY cluster, topic, broker, pace
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
        sort_array(collect_set(CASE WHEN s.pace = 'slow' THEN s.broker END)) AS brokers,
        max(s.hot_units) AS neighbours
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
    f.chance,
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
    t.brokers,
    t.neighbours,
    coalesce(c.cooled, 0) AS cooled
FROM followed AS f
INNER JOIN times AS t ON f.cluster = t.cluster AND f.topic = t.topic
LEFT JOIN cooled AS c ON f.cluster = c.cluster AND f.topic = c.topic
