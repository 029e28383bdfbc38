-- Partitions of slow leaders against those of timely leaders, over the windows of a topic that have both.
-- in:  skew_units, skew_stays
-- out: one row per cluster and topic with such windows; ratio = median of the slow over median of the timely
WITH units AS (
    SELECT
        cluster,
        topic,
        partition,
        broker,
        pace,
        try_divide(weighted_share, weight) AS relative_rate,
        try_divide(mean_ms_sum, requests) AS mean_ms,
        try_divide(p99_ms_sum, requests) AS p99_ms
    FROM skew_units
    WHERE contrasted AND pace IN ('slow', 'timely')
),

-- average ranks, which are halves of whole numbers: their sums are exact
ranked AS (
    SELECT
        *,
        rank() OVER (PARTITION BY cluster, topic ORDER BY relative_rate)
        + (count(*) OVER (PARTITION BY cluster, topic, relative_rate) - 1) / 2.0D AS share_rank,
        rank() OVER (PARTITION BY cluster, topic ORDER BY mean_ms)
        + (count(*) OVER (PARTITION BY cluster, topic, mean_ms) - 1) / 2.0D AS mean_rank,
        rank() OVER (PARTITION BY cluster, topic ORDER BY p99_ms)
        + (count(*) OVER (PARTITION BY cluster, topic, p99_ms) - 1) / 2.0D AS p99_rank,
        row_number() OVER (PARTITION BY cluster, topic ORDER BY relative_rate, partition, broker, pace) AS place,
        median(relative_rate) OVER (PARTITION BY cluster, topic) AS middle,
        count(*) OVER (PARTITION BY cluster, topic) AS units
    FROM units
),

led AS (
    SELECT
        cluster,
        topic,
        power(try_cast(try_sum(try_cast(relative_rate AS DECIMAL(28, 15))) AS DOUBLE), 2) / count(*) AS squared
    FROM ranked
    GROUP BY cluster, topic, broker, pace
),

between_leaders AS (
    SELECT
        cluster,
        topic,
        try_cast(try_sum(try_cast(squared AS DECIMAL(28, 15))) AS DOUBLE) AS squares_of_leaders
    FROM led
    GROUP BY cluster, topic
),

compared AS (
    SELECT
        cluster,
        topic,
        try_cast(try_sum(try_cast(relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS sum_of_shares,
        try_cast(try_sum(try_cast(relative_rate * relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS squares,
        try_cast(try_sum(try_cast((2 * place - units - 1) * relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS gini_sum,
        count(*) AS n,
        count_if(pace = 'slow') AS slow_units,
        median(CASE WHEN pace = 'slow' THEN relative_rate END) AS slow_share,
        median(CASE WHEN pace = 'timely' THEN relative_rate END) AS timely_share,
        max(relative_rate) AS max_share,
        max(middle) AS median_share,
        median(abs(relative_rate - middle)) AS deviation,
        try_sum(CASE WHEN pace = 'slow' THEN share_rank END) AS slow_ranks,
        try_sum(share_rank) AS a,
        try_sum(share_rank * share_rank) AS aa,
        try_sum(mean_rank) AS b,
        try_sum(mean_rank * mean_rank) AS bb,
        try_sum(share_rank * mean_rank) AS ab,
        try_sum(p99_rank) AS c,
        try_sum(p99_rank * p99_rank) AS cc,
        try_sum(share_rank * p99_rank) AS ac
    FROM ranked
    GROUP BY cluster, topic
),

-- the same partitions while no leader was slow: what follows slowness was not there before
calm_shares AS (
    SELECT
        cluster,
        topic,
        partition,
        try_divide(
            try_cast(try_sum(try_cast(weighted_share AS DECIMAL(38, 12))) AS DOUBLE), try_sum(weight)
        ) AS relative_rate
    FROM skew_units
    WHERE calm
    GROUP BY cluster, topic, partition
),

calm AS (
    SELECT
        u.cluster,
        u.topic,
        median(CASE WHEN u.pace = 'slow' THEN s.relative_rate END)
        / nullif(median(CASE WHEN u.pace = 'timely' THEN s.relative_rate END), 0)
            AS calm_ratio
    FROM units AS u
    INNER JOIN calm_shares AS s ON u.cluster = s.cluster AND u.topic = s.topic AND u.partition = s.partition
    GROUP BY u.cluster, u.topic
),

windows AS (
    SELECT
        cluster,
        topic,
        try_cast(
            try_sum(try_cast(try_divide(stays * slow_partitions, partition_count) AS DECIMAL(28, 12))) FILTER (
                WHERE contrasted
            ) AS DOUBLE
        ) AS slow_stays,
        try_cast(
            try_sum(try_cast(try_divide(stays * timely_partitions, partition_count) AS DECIMAL(28, 12))) FILTER (
                WHERE contrasted
            ) AS DOUBLE
        ) AS timely_stays,
        min(from_at) FILTER (WHERE contrasted) AS from_at,
        max(to_at) FILTER (WHERE contrasted) AS to_at,
        count_if(contrasted) AS windows,
        count_if(calm) AS calm_windows,
        count_if(contrasted AND contrast_ratio >= :min_window_ratio) AS hot_windows,
        count_if(contrasted AND contrast_ratio <= 1 / :min_window_ratio) AS cold_windows,
        try_sum(records) FILTER (WHERE contrasted) AS records,
        try_sum(records) FILTER (WHERE contrasted AND contrast_ratio >= :min_window_ratio) AS hot_records,
        try_sum(records) FILTER (WHERE contrasted AND contrast_ratio <= 1 / :min_window_ratio) AS cold_records
    FROM skew_stays
    GROUP BY cluster, topic
)

SELECT
    c.cluster,
    c.topic,
    w.from_at,
    w.to_at,
    w.windows,
    w.hot_windows,
    w.cold_windows,
    w.records,
    c.n,
    c.slow_units,
    c.slow_share,
    c.timely_share,
    coalesce(w.hot_records, 0) AS hot_records,
    coalesce(w.cold_records, 0) AS cold_records,
    c.slow_share / nullif(c.timely_share, 0) AS ratio,
    sqrt(1 / greatest(w.slow_stays, 1e-3) + 1 / greatest(w.timely_stays, 1e-3)) AS noise,
    CASE WHEN w.calm_windows >= :min_windows THEN k.calm_ratio END AS calm_ratio,
    (b.squares_of_leaders - try_divide(c.sum_of_shares * c.sum_of_shares, c.n))
    / nullif(c.squares - try_divide(c.sum_of_shares * c.sum_of_shares, c.n), 0) AS between_share,
    -- rank-biserial: 1 where every partition of a slow leader has more than any other, 0 without relation
    2 * (c.slow_ranks - c.slow_units * (c.slow_units + 1) / 2.0D) / nullif(c.slow_units * (c.n - c.slow_units), 0) - 1
        AS slow_correlation,
    (c.n * c.ab - c.a * c.b) / nullif(sqrt((c.n * c.aa - c.a * c.a) * (c.n * c.bb - c.b * c.b)), 0) AS mean_correlation,
    (c.n * c.ac - c.a * c.c) / nullif(sqrt((c.n * c.aa - c.a * c.a) * (c.n * c.cc - c.c * c.c)), 0) AS p99_correlation,
    try_divide(c.gini_sum, c.n * c.sum_of_shares) AS gini,
    c.max_share / greatest(c.median_share, 0.1) AS max_over_median,
    try_divide(c.max_share, c.sum_of_shares) AS top_share,
    (c.max_share - c.median_share)
    / greatest(1.4826 * c.deviation, c.median_share * sqrt(c.n / greatest(w.slow_stays + w.timely_stays, 1e-3)), 0.01)
        AS robust_z
FROM compared AS c
INNER JOIN between_leaders AS b ON c.cluster = b.cluster AND c.topic = b.topic
INNER JOIN windows AS w ON c.cluster = w.cluster AND c.topic = w.topic
LEFT JOIN calm AS k ON c.cluster = k.cluster AND c.topic = k.topic
