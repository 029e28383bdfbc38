-- Records appended per partition and interval, read on its leader. Log ends cross restarts of the broker.
-- in:  intervals (kind sweeps), raw_partitions, raw_topics (topic ids, to tell a re-created topic)
-- out: one row per partition and interval; where it went_back the difference means nothing (see `dropped`).
WITH leaders AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        topic,
        partition,
        max(log_end_offset) AS log_end_offset,
        max(log_start_offset) AS log_start_offset,
        max(isr_count) AS isr_count,
        max(replicas_count) AS replicas_count
    FROM raw_partitions
    WHERE replicas_count > 0 AND log_end_offset >= 0
    GROUP BY cluster, broker, sweep_at, topic, partition
),

ids AS (
    SELECT
        cluster,
        sweep_at,
        topic,
        max(topic_id) AS topic_id
    FROM raw_topics
    GROUP BY cluster, sweep_at, topic
)

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
    t.log_end_offset,
    t.isr_count,
    t.replicas_count,
    t.log_end_offset - f.log_end_offset AS records,
    t.log_end_offset < f.log_end_offset
    OR t.log_start_offset < f.log_start_offset
    OR coalesce(fi.topic_id != ti.topic_id, FALSE) AS went_back
FROM intervals AS i
INNER JOIN leaders AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
INNER JOIN leaders AS f
    ON
        i.cluster = f.cluster
        AND i.broker = f.broker
        AND i.from_sweep = f.sweep_at
        AND t.topic = f.topic
        AND t.partition = f.partition
LEFT JOIN ids AS ti ON i.cluster = ti.cluster AND i.to_sweep = ti.sweep_at AND t.topic = ti.topic
LEFT JOIN ids AS fi ON i.cluster = fi.cluster AND i.from_sweep = fi.sweep_at AND t.topic = fi.topic
WHERE i.kind = 'sweeps' AND i.seconds > 0
