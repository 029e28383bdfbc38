-- Partitions whose leader's log end was lower than a leader's at the sweep before, over changes of the leader too.
-- in:  partition_rates (a leader that stayed), raw_partitions, raw_brokers, raw_topics, raw_topic_configs,
--      raw_group_offsets
-- out: one row per partition and loss that ends on the day. same_topic: by topic id, null where releases have none.
--      led_in_isr: the new leader was in the ISR at the earlier sweep; null for a leader that stayed.
--      partitions_of_topic: partitions with log ends before and at to_sweep; partitions_back: those of them that went
--      back. committed_offset: highest that any group had before to_sweep, from from_sweep on
WITH reads AS (
    SELECT
        cluster,
        broker,
        count(*) AS times
    FROM raw_brokers
    WHERE read_at IS NOT NULL
    GROUP BY cluster, broker
),

-- partitions that one broker led at each of its reads are in partition_rates: the window is never over all of them
moved AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition
    FROM raw_partitions AS p
    INNER JOIN reads AS r ON p.cluster = r.cluster AND p.broker = r.broker
    WHERE p.replicas_count > 0
    GROUP BY p.cluster, p.topic, p.partition
    HAVING min(p.broker) != max(p.broker) OR count(*) < max(r.times)
),

-- two brokers may both call themselves leader for a moment: what either of them has is not lost
ends AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        p.sweep_at,
        min(struct(p.log_end_offset, p.broker)) AS lowest,
        max(struct(p.log_end_offset, p.broker)) AS highest
    FROM raw_partitions AS p
    INNER JOIN moved AS m ON p.cluster = m.cluster AND p.topic = m.topic AND p.partition = m.partition
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.topic, p.partition, p.sweep_at
),

paired AS (
    SELECT
        cluster,
        topic,
        partition,
        sweep_at AS to_sweep,
        highest,
        lag(sweep_at) OVER before AS from_sweep,
        lag(lowest) OVER before AS lowest_before
    FROM ends
    WINDOW before AS (PARTITION BY cluster, topic, partition ORDER BY sweep_at)
),

pairs AS (
    SELECT
        d.cluster,
        d.topic,
        d.partition,
        d.from_sweep,
        d.to_sweep,
        d.lowest_before.broker AS from_broker,
        d.highest.broker,
        d.lowest_before.log_end_offset AS from_log_end_offset,
        d.highest.log_end_offset
    FROM paired AS d
    WHERE to_date(d.to_sweep) = :ds AND d.from_sweep IS NOT NULL
    UNION ALL
    SELECT
        r.cluster,
        r.topic,
        r.partition,
        r.from_sweep,
        r.to_sweep,
        r.broker AS from_broker,
        r.broker,
        r.from_log_end_offset,
        r.log_end_offset
    FROM partition_rates AS r
    LEFT ANTI JOIN moved AS m ON r.cluster = m.cluster AND r.topic = m.topic AND r.partition = m.partition
),

back AS (
    SELECT * FROM pairs
    WHERE log_end_offset < from_log_end_offset
),

topics AS (
    SELECT DISTINCT
        cluster,
        topic,
        to_sweep
    FROM back
),

sizes AS (
    SELECT
        p.cluster,
        p.topic,
        p.to_sweep,
        count_if(p.log_end_offset < p.from_log_end_offset) AS partitions_back,
        count(*) AS partitions_of_topic
    FROM pairs AS p
    INNER JOIN topics AS t ON p.cluster = t.cluster AND p.topic = t.topic AND p.to_sweep = t.to_sweep
    GROUP BY p.cluster, p.topic, p.to_sweep
),

committed AS (
    SELECT
        b.cluster,
        b.topic,
        b.partition,
        b.to_sweep,
        max(o.committed_offset) AS committed_offset
    FROM back AS b
    INNER JOIN raw_group_offsets AS o
        ON
            b.cluster = o.cluster
            AND b.topic = o.topic
            AND b.partition = o.partition
            AND b.from_sweep <= o.sweep_at
            AND b.to_sweep > o.sweep_at
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
FROM back AS b
INNER JOIN sizes AS s ON b.cluster = s.cluster AND b.topic = s.topic AND b.to_sweep = s.to_sweep
LEFT JOIN raw_topics AS f
    ON b.cluster = f.cluster AND b.topic = f.topic AND b.partition = f.partition AND b.from_sweep = f.sweep_at
LEFT JOIN raw_topics AS t
    ON b.cluster = t.cluster AND b.topic = t.topic AND b.partition = t.partition AND b.to_sweep = t.sweep_at
LEFT JOIN committed AS c
    ON b.cluster = c.cluster AND b.topic = c.topic AND b.partition = c.partition AND b.to_sweep = c.to_sweep
LEFT JOIN policies AS d ON b.cluster = d.cluster AND b.topic = d.topic
