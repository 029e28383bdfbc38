-- Points of the day for the letter: in-sync sets that lack a caught-up follower, and those that lack a dead broker.
-- in:  isr_held, isr_streaks, absent_replicas, isr_absences
-- out: one row per point: cluster, title, unit, threshold, from_at, to_at, ratio (the value)
WITH frozen AS (
    SELECT
        h.cluster,
        h.from_sweep,
        h.to_sweep,
        count(DISTINCT h.topic, h.partition) AS partition_count
    FROM isr_held AS h
    LEFT SEMI JOIN isr_streaks AS s ON h.cluster = s.cluster
    WHERE h.held_as IN ('frozen', 'idle', 'unproven', 'expanding')
    GROUP BY h.cluster, h.from_sweep, h.to_sweep
)

SELECT
    cluster,
    from_sweep AS from_at,
    to_sweep AS to_at,
    'partitions' AS unit,
    'In-sync sets that lack a caught-up follower' AS title,
    1.0D AS threshold,
    try_cast(partition_count AS DOUBLE) AS ratio
FROM frozen
UNION ALL
SELECT
    a.cluster,
    a.from_at,
    a.to_at,
    'partitions' AS unit,
    concat('In-sync sets that lack broker ', a.broker) AS title,
    1.0D AS threshold,
    try_cast(a.partition_count AS DOUBLE) AS ratio
FROM absent_replicas AS a
INNER JOIN isr_absences AS s
    ON a.cluster = s.cluster AND a.broker = s.broker AND a.from_at >= s.from_at AND a.to_at <= s.to_at
ORDER BY cluster, title, to_at
