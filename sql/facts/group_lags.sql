-- How far each consumer group is behind, and how near the deletion is, between its first and last offsets of the day.
-- in:  admin_reads, offset_spans, raw_partitions (on leaders), raw_groups, raw_group_assignments, memberless_groups
-- out: one row per group and partition with a committed offset at the last sweep that read them. Log ends are null
--      where the leader was not read; from_* is the first sweep of the day with such an offset, null if it is the last.
--      memberless: no sweep showed a member of the group
WITH moments AS (
    SELECT
        cluster,
        topic,
        partition,
        to_sweep AS sweep_at
    FROM offset_spans
    UNION
    SELECT
        cluster,
        topic,
        partition,
        from_sweep AS sweep_at
    FROM offset_spans
),

ends AS (
    SELECT
        r.cluster,
        r.sweep_at,
        r.topic,
        r.partition,
        max_by(r.broker, r.log_end_offset) AS leader,
        max(r.read_at) AS read_at,
        max(r.log_start_offset) AS log_start_offset,
        max(r.log_end_offset) AS log_end_offset
    FROM raw_partitions AS r
    INNER JOIN moments AS m
        ON r.cluster = m.cluster AND r.sweep_at = m.sweep_at AND r.topic = m.topic AND r.partition = m.partition
    WHERE r.replicas_count > 0 AND r.log_start_offset >= 0 AND r.log_end_offset >= 0
    GROUP BY r.cluster, r.sweep_at, r.topic, r.partition
),

assigned AS (
    SELECT DISTINCT
        g.cluster,
        g.group_id,
        g.topic,
        g.partition
    FROM raw_group_assignments AS g
    INNER JOIN admin_reads AS a ON g.cluster = a.cluster AND g.sweep_at = a.lags_sweep
),

readers AS (
    SELECT DISTINCT
        cluster,
        group_id
    FROM assigned
),

states AS (
    SELECT
        g.cluster,
        g.group_id,
        max(g.state) AS group_state
    FROM raw_groups AS g
    INNER JOIN admin_reads AS a ON g.cluster = a.cluster AND g.sweep_at = a.lags_sweep
    GROUP BY g.cluster, g.group_id
)

SELECT
    o.cluster,
    o.group_id,
    o.topic,
    o.partition,
    t.leader,
    s.group_state,
    f.read_at AS from_at,
    t.read_at AS to_at,
    f.log_start_offset AS from_log_start_offset,
    f.log_end_offset AS from_log_end_offset,
    o.committed_offset,
    t.log_start_offset,
    t.log_end_offset,
    CASE WHEN f.cluster IS NOT NULL THEN o.from_committed_offset END AS from_committed_offset,
    -- a group that shows assignments, and none of this partition, does not read it any more
    m.group_id IS NOT NULL AND p.group_id IS NULL AS left_behind,
    n.group_id IS NOT NULL AS memberless,
    (unix_micros(t.read_at) - unix_micros(f.read_at)) / 1e6D AS seconds
FROM offset_spans AS o
LEFT JOIN ends AS t
    ON o.cluster = t.cluster AND o.to_sweep = t.sweep_at AND o.topic = t.topic AND o.partition = t.partition
LEFT JOIN ends AS f
    ON
        o.cluster = f.cluster
        AND o.from_sweep = f.sweep_at
        AND o.from_sweep < o.to_sweep
        AND o.topic = f.topic
        AND o.partition = f.partition
LEFT JOIN states AS s ON o.cluster = s.cluster AND o.group_id = s.group_id
LEFT JOIN readers AS m ON o.cluster = m.cluster AND o.group_id = m.group_id
LEFT JOIN memberless_groups AS n ON o.cluster = n.cluster AND o.group_id = n.group_id
LEFT JOIN assigned AS p
    ON o.cluster = p.cluster AND o.group_id = p.group_id AND o.topic = p.topic AND o.partition = p.partition
