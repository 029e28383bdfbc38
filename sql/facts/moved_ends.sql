-- Log ends of partitions whose leader moved, from the sweep before that read a leader to each sweep of the day.
-- in:  raw_partitions, moved_leaders, cluster_sweeps
-- out: one row per partition and pair of sweeps. Two brokers may both call themselves leader for a moment: the lower
--      end before and the higher end after are taken, since what either of them has is not lost
WITH ends AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        p.sweep_at,
        min(struct(p.log_end_offset, p.broker)) AS lowest,
        max(struct(p.log_end_offset, p.broker)) AS highest
    FROM raw_partitions AS p
    INNER JOIN moved_leaders AS m ON p.cluster = m.cluster AND p.topic = m.topic AND p.partition = m.partition
    LEFT ANTI JOIN cluster_sweeps AS o ON p.cluster = o.cluster AND p.sweep_at = o.sweep_at AND o.overlapped
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
)

SELECT
    p.cluster,
    p.topic,
    p.partition,
    p.from_sweep,
    p.to_sweep,
    p.lowest_before.broker AS from_broker,
    p.highest.broker,
    p.lowest_before.log_end_offset AS from_log_end_offset,
    p.highest.log_end_offset
FROM paired AS p
WHERE to_date(p.to_sweep) = :ds AND p.from_sweep IS NOT NULL
