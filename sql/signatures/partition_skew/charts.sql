-- Points of the day for the letter's charts: the worst topic of each cause, and the Produce mean of its slow brokers.
-- in:  skew_topics, skew_stays, skew_leaders
-- out: one row per point: cluster, title, unit, threshold, from_at, to_at, value
WITH worst AS (
    SELECT
        cluster,
        topic,
        cause,
        contrasted,
        brokers
    FROM skew_topics
    WHERE rank_in_cause = 1
),

slow AS (
    SELECT
        cluster,
        explode(slice(brokers, 1, 2)) AS broker
    FROM worst
    WHERE contrasted
),

slow_once AS (
    SELECT DISTINCT
        cluster,
        broker
    FROM slow
),

points AS (
    SELECT
        s.cluster,
        s.from_at,
        s.to_at,
        'times' AS unit,
        CASE
            WHEN w.contrasted THEN concat('Partitions of slow leaders against the others, topic ', s.topic)
            ELSE concat('Hottest partition against the mean of its topic, topic ', s.topic)
        END AS title,
        CASE w.cause
            WHEN 'leader_bound' THEN :min_leader_ratio
            WHEN 'adaptive' THEN :max_adaptive_ratio
        END AS threshold,
        if(w.contrasted, s.contrast_ratio, try_divide(s.max_rate * s.partition_count, s.rate_sum)) AS ratio
    FROM worst AS w
    INNER JOIN skew_stays AS s ON w.cluster = s.cluster AND w.topic = s.topic
    WHERE NOT w.contrasted OR s.contrast_ratio IS NOT NULL
    UNION ALL
    SELECT
        t.cluster,
        t.from_at,
        t.to_at,
        'ms' AS unit,
        concat('Mean Produce time, broker ', t.broker) AS title,
        cast(NULL AS DOUBLE) AS threshold,
        t.mean_ms AS ratio
    FROM slow_once AS s
    INNER JOIN produce_times AS t ON s.cluster = t.cluster AND s.broker = t.broker
    WHERE t.mean_ms IS NOT NULL
)

SELECT
    cluster,
    title,
    unit,
    threshold,
    from_at,
    to_at,
    round(ratio, 4) AS ratio
FROM points
ORDER BY cluster, title, to_at
