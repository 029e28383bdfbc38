-- Partitions whose leader's log end was lower than a leader's at the sweep before, with what became of their topic.
-- in:  log_ends_back, moved_ends, moved_leaders, partition_rates, raw_topics, raw_topic_configs, raw_group_offsets,
--      group_days
-- out: one row per partition and loss that ends on the day. same_topic: by topic id, null where releases have none.
--      led_in_isr: the new leader was in the ISR at the earlier sweep; null for a leader that stayed.
--      partitions_of_topic: partitions with log ends before and at to_sweep; partitions_back: those of them that went
--      back. committed_offset: highest that any group with members had before to_sweep, from from_sweep on; what others
--      commit for a group need not be an offset of this log
WITH topics AS (
    SELECT DISTINCT
        cluster,
        topic,
        to_sweep
    FROM log_ends_back
),

pairs AS (
    SELECT
        p.cluster,
        p.topic,
        p.to_sweep,
        p.log_end_offset < p.from_log_end_offset AS is_back
    FROM moved_ends AS p
    INNER JOIN topics AS t ON p.cluster = t.cluster AND p.topic = t.topic AND p.to_sweep = t.to_sweep
    UNION ALL
    SELECT
        r.cluster,
        r.topic,
        r.to_sweep,
        r.log_end_offset < r.from_log_end_offset AS is_back
    FROM partition_rates AS r
    INNER JOIN topics AS t ON r.cluster = t.cluster AND r.topic = t.topic AND r.to_sweep = t.to_sweep
    LEFT ANTI JOIN moved_leaders AS m ON r.cluster = m.cluster AND r.topic = m.topic AND r.partition = m.partition
),

sizes AS (
    SELECT
        cluster,
        topic,
        to_sweep,
        count_if(is_back) AS partitions_back,
        count(*) AS partitions_of_topic
    FROM pairs
    GROUP BY cluster, topic, to_sweep
),

committed AS (
    SELECT
        b.cluster,
        b.topic,
        b.partition,
        b.to_sweep,
        max(o.committed_offset) AS committed_offset
    FROM log_ends_back AS b
    INNER JOIN raw_group_offsets AS o
        ON
            b.cluster = o.cluster
            AND b.topic = o.topic
            AND b.partition = o.partition
            AND b.from_sweep <= o.sweep_at
            AND b.to_sweep > o.sweep_at
    LEFT ANTI JOIN group_days AS m ON o.cluster = m.cluster AND o.group_id = m.group_id AND m.memberless
    GROUP BY b.cluster, b.topic, b.partition, b.to_sweep
),

policies AS (
    SELECT
        cluster,
        topic,
        max_by(value, sweep_at) AS cleanup_policy
    FROM raw_topic_configs
    WHERE name = 'cleanup.policy'
    GROUP BY cluster, topic
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
    s.partitions_back,
    s.partitions_of_topic,
    c.committed_offset,
    d.cleanup_policy,
    b.from_log_end_offset - b.log_end_offset AS records_lost,
    f.topic_id = t.topic_id AS same_topic,
    CASE WHEN b.from_broker != b.broker THEN array_contains(f.isr, b.broker) END AS led_in_isr
FROM log_ends_back AS b
INNER JOIN sizes AS s ON b.cluster = s.cluster AND b.topic = s.topic AND b.to_sweep = s.to_sweep
LEFT JOIN raw_topics AS f
    ON b.cluster = f.cluster AND b.topic = f.topic AND b.partition = f.partition AND b.from_sweep = f.sweep_at
LEFT JOIN raw_topics AS t
    ON b.cluster = t.cluster AND b.topic = t.topic AND b.partition = t.partition AND b.to_sweep = t.sweep_at
LEFT JOIN committed AS c
    ON b.cluster = c.cluster AND b.topic = c.topic AND b.partition = c.partition AND b.to_sweep = c.to_sweep
LEFT JOIN policies AS d ON b.cluster = d.cluster AND b.topic = d.topic
