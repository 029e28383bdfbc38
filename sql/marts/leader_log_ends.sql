-- Log ends of leaders that need a closer look, from the sweep before that read a leader to each sweep of the day: of
-- partitions that more than one broker led, or that a leader's reads did not all show, and those that went back. Two
-- brokers may both call themselves leader for a moment: the lower end before and the higher end after are taken, since
-- what either of them has is not lost.
WITH reads AS (
    SELECT
        cluster,
        broker,
        count(*) AS times
    FROM raw_brokers
    WHERE read_at IS NOT NULL
    GROUP BY cluster, broker
),

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

-- those that moved are few, and at most all of them once; without the hint all ends would be sorted to find these
ends AS (
    SELECT /*+ broadcast(m) */
        p.cluster,
        p.topic,
        p.partition,
        p.sweep_at,
        min(struct(p.log_end_offset, p.broker)) AS lowest,
        max(struct(p.log_end_offset, p.broker)) AS highest
    FROM raw_partitions AS p
    INNER JOIN moved AS m ON p.cluster = m.cluster AND p.topic = m.topic AND p.partition = m.partition
    LEFT ANTI JOIN cluster_sweeps AS o ON p.cluster = o.cluster AND p.sweep_at = o.sweep_at AND o.overlapped
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.topic, p.partition, p.sweep_at
)

SELECT
    e.cluster,
    e.topic,
    e.partition,
    e.sweep_at AS to_sweep,
    e.highest.broker,
    e.highest.log_end_offset,
    FALSE AS one_leader,
    lag(e.sweep_at) OVER before AS from_sweep,
    lag(e.lowest.broker) OVER before AS from_broker,
    lag(e.lowest.log_end_offset) OVER before AS from_log_end_offset
FROM ends AS e
WINDOW before AS (PARTITION BY e.cluster, e.topic, e.partition ORDER BY e.sweep_at)
QUALIFY to_date(e.sweep_at) = :ds AND from_sweep IS NOT NULL
UNION ALL
SELECT
    cluster,
    topic,
    partition,
    to_sweep,
    broker,
    log_end_offset,
    TRUE AS one_leader,
    from_sweep,
    broker AS from_broker,
    from_log_end_offset
FROM partition_rates
WHERE went_back AND log_end_offset < from_log_end_offset
