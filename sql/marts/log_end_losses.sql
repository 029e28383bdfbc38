-- Partitions whose leader's log end was lower than a leader's at the sweep before, with what became of their topic.
-- What others commit for a group without members need not be an offset of this log.
WITH back AS (
    SELECT l.*
    FROM leader_log_ends AS l
    -- another leader may have been there meanwhile
    LEFT ANTI JOIN leader_log_ends AS m
        ON
            l.cluster = m.cluster AND l.topic = m.topic AND l.partition = m.partition
            AND l.one_leader AND NOT m.one_leader
    WHERE l.log_end_offset < l.from_log_end_offset
),

stayed AS (
    SELECT
        l.cluster,
        l.topic,
        l.to_sweep
    FROM leader_log_ends AS l
    LEFT SEMI JOIN leader_log_ends AS t
        ON l.cluster = t.cluster AND l.topic = t.topic AND t.log_end_offset < t.from_log_end_offset
    WHERE l.log_end_offset >= l.from_log_end_offset
    UNION
    SELECT
        r.cluster,
        r.topic,
        r.to_sweep
    FROM partition_rates AS r
    LEFT SEMI JOIN leader_log_ends AS t
        ON r.cluster = t.cluster AND r.topic = t.topic AND t.log_end_offset < t.from_log_end_offset
    LEFT ANTI JOIN leader_log_ends AS m
        ON r.cluster = m.cluster AND r.topic = m.topic AND r.partition = m.partition AND NOT m.one_leader
    WHERE r.log_end_offset >= r.from_log_end_offset
),

commits AS (
    SELECT
        g.cluster,
        g.topic,
        g.partition,
        g.sweep_at,
        max(g.committed_offset) AS committed_offset
    FROM raw_group_offsets AS g
    LEFT SEMI JOIN leader_log_ends AS t
        ON g.cluster = t.cluster AND g.topic = t.topic AND t.log_end_offset < t.from_log_end_offset
    LEFT ANTI JOIN group_days AS m ON g.cluster = m.cluster AND g.group_id = m.group_id AND m.memberless
    GROUP BY g.cluster, g.topic, g.partition, g.sweep_at
)

SELECT
    b.cluster,
    b.topic,
    b.partition,
    b.from_sweep,
    b.to_sweep,
    b.from_broker,
    b.broker,
    b.from_log_end_offset,
    b.log_end_offset,
    f.topic_id = t.topic_id AS same_topic,
    s.topic IS NOT NULL AS topic_stayed,
    CASE WHEN b.from_broker != b.broker THEN array_contains(f.isr, b.broker) END AS led_in_isr,
    max(c.committed_offset) AS committed_offset
FROM back AS b
LEFT JOIN stayed AS s ON b.cluster = s.cluster AND b.topic = s.topic AND b.to_sweep = s.to_sweep
LEFT JOIN raw_topics AS f
    ON
        b.cluster = f.cluster AND b.topic = f.topic AND b.partition = f.partition
        AND b.from_sweep BETWEEN f.sweep_at AND f.last_sweep_at
LEFT JOIN raw_topics AS t
    ON
        b.cluster = t.cluster AND b.topic = t.topic AND b.partition = t.partition
        AND b.to_sweep BETWEEN t.sweep_at AND t.last_sweep_at
LEFT JOIN commits AS c
    ON
        b.cluster = c.cluster AND b.topic = c.topic AND b.partition = c.partition
        AND b.from_sweep <= c.sweep_at AND b.to_sweep > c.sweep_at
GROUP BY ALL
