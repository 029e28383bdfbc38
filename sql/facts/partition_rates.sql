-- Records appended per partition and interval, read on its leader. Log ends cross restarts of the broker.
-- in:  intervals (kind sweeps), raw_partitions, recreated_topics
-- out: one row per partition and interval; where it went_back the difference means nothing (see `dropped`).
WITH beside AS (
    SELECT
        i.cluster,
        i.broker,
        p.topic,
        p.partition,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        p.previous_log_end_offset AS from_log_end_offset,
        p.previous_log_start_offset AS from_log_start_offset,
        p.log_end_offset,
        p.log_start_offset,
        p.isr_count,
        p.replicas_count
    FROM raw_partitions AS p
    INNER JOIN intervals AS i ON p.cluster = i.cluster AND p.broker = i.broker AND p.sweep_at = i.to_sweep
    WHERE
        i.laid_beside
        AND i.kind = 'sweeps'
        AND i.seconds > 0
        AND p.previous_log_end_offset IS NOT NULL
        AND p.replicas_count > 0
        AND p.log_end_offset >= 0
),

-- where a sweep lies between that the broker did not answer, was damaged, or came late
others AS (
    SELECT *
    FROM intervals
    WHERE NOT laid_beside AND kind = 'sweeps' AND seconds > 0
),

wanted AS (
    SELECT
        cluster,
        broker,
        from_sweep AS sweep_at
    FROM others
    UNION
    SELECT
        cluster,
        broker,
        to_sweep AS sweep_at
    FROM others
),

leaders AS (
    SELECT
        p.cluster,
        p.broker,
        p.sweep_at,
        p.topic,
        p.partition,
        max(p.log_end_offset) AS log_end_offset,
        max(p.log_start_offset) AS log_start_offset,
        max(p.isr_count) AS isr_count,
        max(p.replicas_count) AS replicas_count
    FROM raw_partitions AS p
    INNER JOIN wanted AS w ON p.cluster = w.cluster AND p.broker = w.broker AND p.sweep_at = w.sweep_at
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.broker, p.sweep_at, p.topic, p.partition
),

either AS (
    SELECT * FROM beside
    UNION ALL
    SELECT
        i.cluster,
        i.broker,
        t.topic,
        t.partition,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        f.log_end_offset AS from_log_end_offset,
        f.log_start_offset AS from_log_start_offset,
        t.log_end_offset,
        t.log_start_offset,
        t.isr_count,
        t.replicas_count
    FROM others AS i
    INNER JOIN leaders AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
    INNER JOIN leaders AS f
        ON
            i.cluster = f.cluster
            AND i.broker = f.broker
            AND i.from_sweep = f.sweep_at
            AND t.topic = f.topic
            AND t.partition = f.partition
)

SELECT
    e.cluster,
    e.broker,
    e.topic,
    e.partition,
    e.from_sweep,
    e.to_sweep,
    e.from_at,
    e.to_at,
    e.seconds,
    e.from_log_end_offset,
    e.log_end_offset,
    e.isr_count,
    e.replicas_count,
    e.log_end_offset - e.from_log_end_offset AS records,
    e.log_end_offset < e.from_log_end_offset
    OR e.log_start_offset < e.from_log_start_offset
    OR r.topic IS NOT NULL AS went_back
FROM either AS e
LEFT JOIN recreated_topics AS r
    ON e.cluster = r.cluster AND e.from_sweep = r.from_sweep AND e.to_sweep = r.to_sweep AND e.topic = r.topic
