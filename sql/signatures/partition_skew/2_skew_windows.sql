-- Each interval of the topics that are uneven at all: rates by what leaders are slow, and how often a keyless producer
-- may have changed partition. One with the fix stays for batch.size bytes, so few stays are uneven by chance alone.
-- out: one row per cluster, topic and interval that is neither idle nor tiny; records per s. contrasted: partitions of
--      slow and of timely leaders can be compared; contrast: the mean of those over these; calm: no leader is slow;
--      peak: the largest partition over the mean
-- a leader was read once in an interval, so its partitions share the seconds: whole records are summed first
WITH led AS (
    SELECT
        cluster,
        topic,
        broker,
        from_sweep,
        to_sweep,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        max(seconds) AS seconds,
        try_sum(records) AS records,
        count(*) AS partition_count,
        try_divide(max(records), max(seconds)) AS max_rate,
        try_cast(try_divide(try_sum(records), max(seconds)) AS DECIMAL(28, 12)) AS rate
    FROM partition_rates
    -- topics of Kafka itself are written by key
    WHERE NOT coalesce(went_back, FALSE) AND substring(topic, 1, 2) != '__'
    GROUP BY cluster, topic, broker, from_sweep, to_sweep
),

windows AS (
    SELECT
        r.cluster,
        r.topic,
        r.from_sweep,
        r.to_sweep,
        min(r.from_at) AS from_at,
        max(r.to_at) AS to_at,
        max(r.seconds) AS seconds,
        try_sum(r.records) AS records,
        try_sum(r.partition_count) AS partition_count,
        max(r.max_rate) AS max_rate,
        try_cast(try_sum(r.rate) AS DOUBLE) AS rate_sum,
        try_cast(try_sum(if(s.pace = 'slow', r.rate, 0)) AS DOUBLE) AS slow_rate_sum,
        try_cast(try_sum(if(s.pace = 'timely', r.rate, 0)) AS DOUBLE) AS timely_rate_sum,
        try_sum(if(s.pace = 'slow', r.partition_count, 0)) AS slow_partitions,
        try_sum(if(s.pace = 'timely', r.partition_count, 0)) AS timely_partitions,
        count(*) = count(s.pace) AS all_paced
    FROM led AS r
    LEFT JOIN skew_leaders AS s
        ON r.cluster = s.cluster AND r.broker = s.broker AND r.from_sweep = s.from_sweep AND r.to_sweep = s.to_sweep
    GROUP BY r.cluster, r.topic, r.from_sweep, r.to_sweep
),

traffic AS (
    SELECT
        cluster,
        topic,
        from_sweep,
        to_sweep,
        try_sum(bytes_in) AS bytes_in
    FROM topic_counters
    WHERE kind = 'sweeps'
    GROUP BY cluster, topic, from_sweep, to_sweep
)

SELECT
    w.*,
    t.min_windows,
    t.min_window_ratio,
    w.slow_partitions > 0 AND w.timely_partitions > 0 AS contrasted,
    w.slow_partitions = 0 AND w.all_paced AS calm,
    count_if(w.slow_partitions = 0 AND w.all_paced) OVER of_topic AS calm_windows,
    try_divide(w.max_rate * w.partition_count, w.rate_sum) AS peak,
    try_divide(w.slow_rate_sum * w.timely_partitions, w.timely_rate_sum * w.slow_partitions) AS contrast,
    try_divide(coalesce(b.bytes_in, t.record_bytes * w.records), t.batch_bytes) AS stays
FROM windows AS w
INNER JOIN partition_skew_thresholds AS t ON w.cluster = t.cluster
LEFT JOIN traffic AS b
    ON w.cluster = b.cluster AND w.topic = b.topic AND w.from_sweep = b.from_sweep AND w.to_sweep = b.to_sweep
WHERE w.partition_count >= t.min_partitions AND w.records >= t.min_records
WINDOW of_topic AS (PARTITION BY w.cluster, w.topic)
-- cheap and wide: what is judged stands out further, by a hot partition or by a slow leader's cold ones
QUALIFY
    count_if(
        w.max_rate * w.partition_count >= 1.2 * w.rate_sum
        OR try_divide(w.slow_rate_sum * w.timely_partitions, w.timely_rate_sum * w.slow_partitions) <= 0.9
    ) OVER of_topic >= t.min_windows
