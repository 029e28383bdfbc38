-- What each partition has of its topic: while some leaders are slow, under each of them (by_leader), and over the day,
-- whoever leads it. Which ones are hot over the day?
-- out: by_leader one row per cluster, topic, partition, leader and pace of slow and timely leaders, else per partition
--      with the leader that it had longest. relative_rate: over the mean of the topic's; *_lean: how many have less,
--      less how many have more, which is twice the rank from the middle; windows to cold_records: of the topic
WITH spans AS (
    SELECT
        cluster,
        topic,
        contrasted,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        count(*) AS windows,
        count_if(contrast >= min_window_ratio) AS hot_windows,
        count_if(contrast * min_window_ratio <= 1) AS cold_windows,
        try_sum(records) AS records,
        try_sum(if(contrast >= min_window_ratio, records, 0)) AS hot_records,
        try_sum(if(contrast * min_window_ratio <= 1, records, 0)) AS cold_records,
        try_sum(try_cast(stays AS DECIMAL(28, 12))) AS stays,
        try_sum(try_cast(try_divide(stays * slow_partitions, partition_count) AS DECIMAL(28, 12))) AS slow_stays,
        try_sum(try_cast(try_divide(stays * timely_partitions, partition_count) AS DECIMAL(28, 12))) AS timely_stays
    FROM skew_windows
    GROUP BY GROUPING SETS ((cluster, topic), (cluster, topic, contrasted))
),

samples AS (
    SELECT
        w.*,
        u.partition,
        u.broker,
        u.day_hot_windows,
        u.stayed_hot,
        u.calm_rate,
        u.requests,
        u.p50_us,
        coalesce(w.contrasted, FALSE) AS by_leader,
        if(w.contrasted, u.mean_us, NULL) AS mean_us,
        if(w.contrasted, u.p99_us, NULL) AS p99_us,
        if(w.contrasted, u.pace, NULL) AS pace,
        if(w.contrasted, try_divide(u.weighed, u.weight), u.day_rate) AS relative_rate
    FROM spans AS w
    INNER JOIN skew_units AS u
        ON
            w.cluster = u.cluster AND w.topic = u.topic
            AND if(w.contrasted, u.contrasted AND u.pace IN ('slow', 'timely'), u.longest_led = 1)
    WHERE coalesce(w.contrasted, TRUE)
),

ranked AS (
    SELECT
        *,
        count(*) OVER of_topic AS n,
        median(relative_rate) OVER of_topic AS middle,
        try_divide(1.0D * try_sum(try_cast(relative_rate AS DECIMAL(28, 15))) OVER of_topic, count(*) OVER of_topic)
            AS mean_rate,
        try_divide(1.0D * try_sum(try_cast(relative_rate AS DECIMAL(28, 15))) OVER of_leader, count(*) OVER of_leader)
            AS leader_rate,
        rank() OVER by_rate + count(*) OVER by_rate - count(*) OVER of_topic - 1 AS rate_lean,
        rank() OVER by_mean + count(*) OVER by_mean - count(*) OVER of_topic - 1 AS mean_lean,
        rank() OVER by_p99 + count(*) OVER by_p99 - count(*) OVER of_topic - 1 AS p99_lean,
        try_divide(try_sum(mean_us) OVER of_leader, 1e3D * try_sum(requests) OVER of_leader) AS leader_mean_ms,
        try_divide(try_sum(p50_us) OVER of_leader, 1e3D * try_sum(requests) OVER of_leader) AS leader_p50_ms,
        try_divide(try_sum(p99_us) OVER of_leader, 1e3D * try_sum(requests) OVER of_leader) AS leader_p99_ms
    FROM samples
    WINDOW
        of_topic AS (PARTITION BY cluster, topic, by_leader),
        of_leader AS (PARTITION BY cluster, topic, by_leader, broker, pace),
        by_rate AS (PARTITION BY cluster, topic, by_leader ORDER BY relative_rate),
        by_mean AS (PARTITION BY cluster, topic, by_leader ORDER BY try_divide(mean_us, requests)),
        by_p99 AS (PARTITION BY cluster, topic, by_leader ORDER BY try_divide(p99_us, requests))
)

SELECT
    r.*,
    r.relative_rate / greatest(r.middle, 0.1) AS ratio,
    try_divide(r.relative_rate, r.n * r.mean_rate) AS topic_share,
    sqrt(
        if(
            r.by_leader,
            1 / greatest(r.slow_stays, 1e-3) + 1 / greatest(r.timely_stays, 1e-3), r.n / greatest(r.stays, 1e-3)
        )
    ) AS noise,
    (r.relative_rate - r.middle) / greatest(
        1.4826 * median(abs(r.relative_rate - r.middle)) OVER of_topic,
        r.middle * sqrt(r.n / greatest(if(r.by_leader, r.slow_stays + r.timely_stays, r.stays), 1e-3)),
        0.01
    ) AS robust_z,
    try_sum(try_cast(r.rate_lean * r.relative_rate AS DECIMAL(28, 15))) OVER of_topic
    / nullif(r.n * (r.n * r.mean_rate), 0) AS gini,
    1.0D * try_sum(try_cast(power(r.leader_rate - r.mean_rate, 2) AS DECIMAL(28, 15))) OVER of_topic
    / nullif(1.0D * try_sum(try_cast(power(r.relative_rate - r.mean_rate, 2) AS DECIMAL(28, 15))) OVER of_topic, 0)
        AS between_share,
    ratio <= t.min_window_ratio AS usual,
    NOT r.by_leader AND ratio >= t.hot_ratio AND ln(ratio) >= t.noise_z * noise
    AND topic_share >= t.min_share AND robust_z >= t.min_robust_z AND gini >= t.min_gini
    AND r.day_hot_windows >= greatest(t.min_windows, t.min_window_share * r.windows) AS hot
FROM ranked AS r
INNER JOIN partition_skew_thresholds AS t ON r.cluster = t.cluster
WINDOW of_topic AS (PARTITION BY r.cluster, r.topic, r.by_leader)
