-- The partitions behind a detection, with the leader of each and how long it took for Produce.
-- out: one row per cluster, topic, partition and leader; the worst topic and its busiest partitions first
WITH topics AS (
    SELECT DISTINCT
        cluster,
        topic,
        cause,
        topic_rank,
        by_leader
    FROM partition_skew_detections
)

SELECT
    t.cluster,
    t.cause,
    t.topic_rank,
    t.topic,
    u.partition,
    u.broker,
    try_sum(u.windows) AS windows,
    try_sum(u.records) AS records,
    round(try_divide(1.0D * try_sum(try_cast(u.weighed AS DECIMAL(38, 12))), try_sum(u.weight)), 3) AS times_the_mean,
    round(try_divide(try_sum(u.mean_us), 1e3D * try_sum(u.requests)), 2) AS mean_ms,
    round(try_divide(try_sum(u.p99_us), 1e3D * try_sum(u.requests)), 1) AS p99_ms,
    row_number() OVER (
        PARTITION BY t.cluster
        ORDER BY
            t.topic_rank ASC, t.cause ASC,
            round(try_divide(1.0D * try_sum(try_cast(u.weighed AS DECIMAL(38, 12))), try_sum(u.weight)), 3) DESC,
            u.partition ASC, u.broker ASC
    ) AS ordinal
FROM topics AS t
INNER JOIN skew_units AS u ON t.cluster = u.cluster AND t.topic = u.topic
WHERE u.contrasted OR NOT t.by_leader
GROUP BY t.cluster, t.cause, t.topic_rank, t.topic, u.partition, u.broker
