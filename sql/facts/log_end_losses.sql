-- Partitions whose leader's log end was lower than a leader's at the sweep before, over changes of the leader too.
-- in:  partition_rates (same leader), raw_partitions, raw_topics, raw_topic_configs
-- out: one row per partition and loss that ends on the day. same_topic: by topic id, null where releases have none.
--      led_in_isr: the new leader was in the ISR at the earlier sweep; null for a leader that stayed.
WITH leaders AS (
    SELECT
        cluster,
        topic,
        partition,
        min(broker) AS lowest,
        max(broker) AS highest
    FROM raw_partitions
    WHERE replicas_count > 0
    GROUP BY cluster, topic, partition
    HAVING min(broker) != max(broker)
),

-- two brokers may both call themselves leader for a moment: what either of them has is not lost
ends AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        p.sweep_at,
        min(p.log_end_offset) AS lowest_end,
        max(p.log_end_offset) AS highest_end,
        max_by(p.broker, struct(p.log_end_offset, p.broker)) AS broker
    FROM raw_partitions AS p
    INNER JOIN leaders AS l ON p.cluster = l.cluster AND p.topic = l.topic AND p.partition = l.partition
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.topic, p.partition, p.sweep_at
),

paired AS (
    SELECT
        cluster,
        topic,
        partition,
        sweep_at AS to_sweep,
        highest_end AS log_end_offset,
        broker,
        lag(sweep_at) OVER before AS from_sweep,
        lag(lowest_end) OVER before AS from_log_end_offset,
        lag(broker) OVER before AS from_broker
    FROM ends
    WINDOW before AS (PARTITION BY cluster, topic, partition ORDER BY sweep_at)
),

back AS (
    SELECT
        cluster,
        topic,
        partition,
        from_sweep,
        to_sweep,
        from_broker,
        broker,
        from_log_end_offset,
        log_end_offset
    FROM paired
    WHERE to_date(to_sweep) = :ds AND from_broker != broker AND log_end_offset < from_log_end_offset
    UNION ALL
    SELECT
        cluster,
        topic,
        partition,
        from_sweep,
        to_sweep,
        broker AS from_broker,
        broker,
        from_log_end_offset,
        log_end_offset
    FROM partition_rates
    WHERE log_end_offset < from_log_end_offset
),

topics AS (
    SELECT
        cluster,
        topic,
        to_sweep,
        count(*) AS partitions_back
    FROM back
    GROUP BY cluster, topic, to_sweep
),

sizes AS (
    SELECT
        s.cluster,
        s.topic,
        s.to_sweep,
        count(*) AS partition_count
    FROM topics AS s
    INNER JOIN raw_topics AS t ON s.cluster = t.cluster AND s.topic = t.topic AND s.to_sweep = t.sweep_at
    GROUP BY s.cluster, s.topic, s.to_sweep
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
    z.partition_count AS partitions_of_topic,
    d.cleanup_policy,
    b.from_log_end_offset - b.log_end_offset AS records_lost,
    f.topic_id = t.topic_id AS same_topic,
    CASE WHEN b.from_broker != b.broker THEN array_contains(f.isr, b.broker) END AS led_in_isr
FROM back AS b
INNER JOIN topics AS s ON b.cluster = s.cluster AND b.topic = s.topic AND b.to_sweep = s.to_sweep
LEFT JOIN raw_topics AS f
    ON b.cluster = f.cluster AND b.topic = f.topic AND b.partition = f.partition AND b.from_sweep = f.sweep_at
LEFT JOIN raw_topics AS t
    ON b.cluster = t.cluster AND b.topic = t.topic AND b.partition = t.partition AND b.to_sweep = t.sweep_at
LEFT JOIN sizes AS z ON b.cluster = z.cluster AND b.topic = z.topic AND b.to_sweep = z.to_sweep
LEFT JOIN policies AS d ON b.cluster = d.cluster AND b.topic = d.topic
