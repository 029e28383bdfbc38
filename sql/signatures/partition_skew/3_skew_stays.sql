-- The windows of topics that are uneven at all, and how often a keyless producer may have changed partition in each.
-- A producer with the fix stays with a partition for batch.size bytes, so few stays are uneven by chance alone.
-- in:  skew_windows, topic_traffic
-- out: one row per cluster, topic and interval. contrasted: partitions of slow and of timely leaders can be compared;
--      calm: no leader is slow
WITH uneven AS (
    SELECT
        cluster,
        topic
    FROM skew_windows
    -- cheap and wide: what is judged below stands out further, by a hot partition or by a slow leader's cold ones
    WHERE
        max_rate * partition_count >= 1.2 * rate_sum
        OR (
            slow_partitions > 0
            AND timely_partitions > 0
            AND slow_rate_sum * timely_partitions <= 0.9 * timely_rate_sum * slow_partitions
        )
    GROUP BY cluster, topic
    HAVING count(*) >= :min_windows
),

traffic AS (
    SELECT
        cluster,
        topic,
        from_sweep,
        to_sweep,
        try_sum(bytes_in) AS bytes_in
    FROM topic_traffic
    WHERE kind = 'sweeps'
    GROUP BY cluster, topic, from_sweep, to_sweep
)

SELECT
    w.cluster,
    w.topic,
    w.from_sweep,
    w.to_sweep,
    w.from_at,
    w.to_at,
    w.seconds,
    w.partition_count,
    w.records,
    w.max_rate,
    w.rate_sum,
    w.slow_partitions,
    w.timely_partitions,
    w.slow_rate_sum,
    w.timely_rate_sum,
    b.bytes_in,
    w.slow_partitions > 0 AND w.timely_partitions > 0 AS contrasted,
    w.slow_partitions = 0 AND w.paced_partitions = w.partition_count AS calm,
    try_divide(w.slow_rate_sum * w.timely_partitions, w.timely_rate_sum * w.slow_partitions) AS contrast_ratio,
    coalesce(b.bytes_in, :record_bytes * w.records) / :batch_bytes AS stays
FROM skew_windows AS w
INNER JOIN uneven AS u ON w.cluster = u.cluster AND w.topic = u.topic
LEFT JOIN traffic AS b
    ON w.cluster = b.cluster AND w.topic = b.topic AND w.from_sweep = b.from_sweep AND w.to_sweep = b.to_sweep
