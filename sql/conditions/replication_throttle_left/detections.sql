-- Which topics' replication is throttled for so long that the reassignment it was meant for is over?
-- in:  replication_throttles, broker_settings, broker_sweeps, topic_shapes, cluster_days,
--      replication_throttle_left_thresholds
-- out: of the cluster how many topics and brokers; one row per such topic, the one throttled for longest first. Before
--      2.5 no gauge counts reassignments, and partitions with more replicas than others of their topic show them
WITH settings AS (
    SELECT
        cluster,
        broker,
        try_cast(config_value AS BIGINT) AS rate,
        name IN ('leader.replication.throttled.rate', 'follower.replication.throttled.rate')
        -- the largest number is no limit
        AND (redacted OR coalesce(try_cast(config_value AS BIGINT) < 9223372036854775807, FALSE)) AS is_limited
    FROM broker_settings
),

rates AS (
    SELECT
        cluster,
        count(DISTINCT broker) AS broker_count,
        count(DISTINCT if(is_limited, broker, NULL)) AS limited_brokers,
        min(if(is_limited, rate, NULL)) AS least_rate
    FROM settings
    GROUP BY cluster
),

gauges AS (
    SELECT
        cluster,
        count(reassigning_partitions) > 0 AS is_counted,
        max(if(reassigning_partitions > 0, sweep_at, NULL)) AS moved_at
    FROM broker_sweeps
    GROUP BY cluster
),

shapes AS (
    SELECT
        cluster,
        max(if(larger_partitions > 0, sweep_at, NULL)) AS moved_at
    FROM topic_shapes
    GROUP BY cluster
),

throttled AS (
    SELECT
        r.cluster,
        r.topic,
        r.to_sweep AS to_at,
        greatest(r.from_sweep, if(g.is_counted, g.moved_at, s.moved_at)) AS from_at
    FROM replication_throttles AS r
    LEFT JOIN gauges AS g ON r.cluster = g.cluster
    LEFT JOIN shapes AS s ON r.cluster = s.cluster
),

judged AS (
    SELECT
        r.*,
        (unix_micros(r.to_at) - unix_micros(r.from_at)) / 3600e6D AS throttled_hours
    FROM throttled AS r
    INNER JOIN replication_throttle_left_thresholds AS t ON r.cluster = t.cluster
    INNER JOIN rates AS l ON r.cluster = l.cluster AND l.limited_brokers > 0
    WHERE (unix_micros(r.to_at) - unix_micros(r.from_at)) / 3600e6D >= t.min_hours
),

totals AS (
    SELECT
        c.cluster,
        c.configs_sweep AS to_at,
        coalesce(min(j.from_at), c.configs_sweep) AS from_at,
        try_cast(count(j.topic) AS DOUBLE) AS throttled_topics,
        max(j.throttled_hours) AS throttled_hours,
        try_cast(max(coalesce(l.limited_brokers, 0)) AS DOUBLE) AS limited_brokers,
        try_cast(if(count(j.topic) > 0, max(l.least_rate), NULL) AS DOUBLE) AS least_rate,
        try_cast(if(c.configs_sweep IS NULL, 1, 0) AS DOUBLE) AS unread,
        try_cast(if(max(l.broker_count) IS NULL, 1, 0) AS DOUBLE) AS unread_brokers
    FROM cluster_days AS c
    LEFT JOIN rates AS l ON c.cluster = l.cluster
    LEFT JOIN judged AS j ON c.cluster = j.cluster
    GROUP BY c.cluster, c.configs_sweep
)

SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    amount,
    from_at,
    to_at,
    FALSE AS is_subject
FROM totals
    UNPIVOT (
        amount FOR metric IN (
            throttled_topics, throttled_hours, limited_brokers, least_rate, unread, unread_brokers
        )
    )
UNION ALL
SELECT
    cluster,
    'topic' AS metric,
    'topic' AS kind,
    topic AS object_name,
    NULL AS object_detail,
    row_number() OVER (PARTITION BY cluster ORDER BY throttled_hours DESC, topic ASC) AS ordinal,
    throttled_hours AS amount,
    from_at,
    to_at,
    TRUE AS is_subject
FROM judged
