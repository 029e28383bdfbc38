-- Every partition of an uneven topic over the day, whoever led it: which ones stay hot?
-- in:  skew_units, skew_stays
-- out: one row per cluster, topic and partition with the measures of its topic
WITH led AS (
    SELECT
        cluster,
        topic,
        partition,
        broker,
        try_cast(try_sum(try_cast(weighted_share AS DECIMAL(38, 12))) AS DOUBLE) AS weighted_share,
        try_sum(records) AS records,
        try_sum(windows) AS windows,
        try_sum(hot_windows) AS hot_windows,
        try_sum(weight) AS weight
    FROM skew_units
    GROUP BY cluster, topic, partition, broker
),

partitions AS (
    SELECT
        cluster,
        topic,
        partition,
        max_by(broker, struct(windows, -broker)) AS leader,
        count_if(2 * hot_windows >= windows AND windows >= :min_windows) AS hot_leaders,
        try_sum(records) AS records,
        try_sum(hot_windows) AS hot_windows,
        try_divide(
            try_cast(try_sum(try_cast(weighted_share AS DECIMAL(38, 12))) AS DOUBLE), try_sum(weight)
        ) AS relative_rate
    FROM led
    GROUP BY cluster, topic, partition
),

placed AS (
    SELECT
        *,
        count(*) OVER (PARTITION BY cluster, topic) AS n,
        median(relative_rate) OVER (PARTITION BY cluster, topic) AS middle,
        row_number() OVER (PARTITION BY cluster, topic ORDER BY relative_rate, partition) AS place
    FROM partitions
),

topics AS (
    SELECT
        cluster,
        topic,
        try_cast(try_sum(try_cast(relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS sum_of_shares,
        try_cast(try_sum(try_cast((2 * place - n - 1) * relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS gini_sum,
        max(relative_rate) AS max_share,
        median(abs(relative_rate - middle)) AS deviation
    FROM placed
    GROUP BY cluster, topic
),

windows AS (
    SELECT
        cluster,
        topic,
        try_cast(try_sum(try_cast(stays AS DECIMAL(28, 12))) AS DOUBLE) AS stays,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        count(*) AS windows
    FROM skew_stays
    GROUP BY cluster, topic
),

measured AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        p.leader,
        p.hot_leaders,
        p.records,
        p.hot_windows,
        p.relative_rate,
        p.n,
        w.from_at,
        w.to_at,
        w.windows,
        sqrt(p.n / greatest(w.stays, 1e-3)) AS noise,
        greatest(p.middle, 0.1) AS middle,
        p.relative_rate / greatest(p.middle, 0.1) AS ratio,
        try_divide(p.relative_rate, t.sum_of_shares) AS topic_share,
        try_divide(t.gini_sum, p.n * t.sum_of_shares) AS gini,
        (p.relative_rate - p.middle)
        / greatest(1.4826 * t.deviation, p.middle * sqrt(p.n / greatest(w.stays, 1e-3)), 0.01) AS robust_z
    FROM placed AS p
    INNER JOIN topics AS t ON p.cluster = t.cluster AND p.topic = t.topic
    INNER JOIN windows AS w ON p.cluster = w.cluster AND p.topic = w.topic
)

SELECT
    *,
    ratio >= :hot_ratio
    AND ln(ratio) >= :noise_z * noise
    AND topic_share >= :min_share
    AND robust_z >= :min_robust_z
    AND gini >= :min_gini
    AND hot_windows >= :min_windows
    AND hot_windows >= :min_window_share * windows AS hot
FROM measured
