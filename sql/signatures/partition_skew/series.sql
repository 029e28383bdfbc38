-- The worst topic of each cause, and the Produce mean of its slow brokers.
-- out: one row per topic and interval, and per broker and interval
WITH worst AS (
    SELECT DISTINCT
        cluster,
        topic,
        cause,
        by_leader
    FROM partition_skew_detections
    WHERE topic_rank = 1
),

slow AS (
    SELECT DISTINCT
        cluster,
        broker,
        dense_rank() OVER (PARTITION BY cluster, cause ORDER BY broker) <= 2 AS is_shown
    FROM partition_skew_detections
    WHERE topic_rank = 1 AND by_leader AND broker IS NOT NULL
)

SELECT
    s.cluster,
    if(w.by_leader, 'contrast', 'peak') AS chart,
    s.topic AS object_name,
    CASE w.cause WHEN 'leader_bound' THEN t.min_leader_ratio WHEN 'adaptive' THEN t.max_adaptive_ratio END AS threshold,
    s.from_at,
    s.to_at,
    if(w.by_leader, s.contrast, s.peak) AS amount
FROM worst AS w
INNER JOIN partition_skew_thresholds AS t ON w.cluster = t.cluster
INNER JOIN skew_windows AS s ON w.cluster = s.cluster AND w.topic = s.topic
UNION ALL
SELECT
    p.cluster,
    'produce' AS chart,
    cast(p.broker AS STRING) AS object_name,
    NULL AS threshold,
    p.from_at,
    p.to_at,
    p.produce_mean_ms AS amount
FROM slow AS s
INNER JOIN broker_counters AS p ON s.cluster = p.cluster AND s.broker = p.broker
WHERE s.is_shown AND p.timed_produces >= 0
