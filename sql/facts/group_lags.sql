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

spans AS (
    SELECT
        o.*,
        max(CASE WHEN e.sweep_at = o.to_sweep THEN e.leader END) AS leader,
        max(CASE WHEN e.sweep_at = o.to_sweep THEN e.read_at END) AS read_at,
        max(CASE WHEN e.sweep_at = o.to_sweep THEN e.log_start_offset END) AS log_start_offset,
        max(CASE WHEN e.sweep_at = o.to_sweep THEN e.log_end_offset END) AS log_end_offset,
        max(CASE WHEN e.sweep_at < o.to_sweep THEN e.read_at END) AS from_read_at,
        max(CASE WHEN e.sweep_at < o.to_sweep THEN e.log_start_offset END) AS from_log_start_offset,
        max(CASE WHEN e.sweep_at < o.to_sweep THEN e.log_end_offset END) AS from_log_end_offset
    FROM offset_spans AS o
    LEFT JOIN ends AS e
        ON
            o.cluster = e.cluster
            AND o.topic = e.topic
            AND o.partition = e.partition
            AND e.sweep_at IN (o.from_sweep, o.to_sweep)
    GROUP BY ALL
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
    o.leader,
    s.group_state,
    o.from_read_at AS from_at,
    o.read_at AS to_at,
    o.from_log_start_offset,
    o.from_log_end_offset,
    o.committed_offset,
    o.log_start_offset,
    o.log_end_offset,
    CASE WHEN o.from_log_end_offset IS NOT NULL THEN o.from_committed_offset END AS from_committed_offset,
    -- a group that shows assignments, and none of this partition, does not read it any more
    m.group_id IS NOT NULL AND p.group_id IS NULL AS left_behind,
    n.group_id IS NOT NULL AS memberless,
    (unix_micros(o.read_at) - unix_micros(o.from_read_at)) / 1e6D AS seconds
FROM spans AS o
LEFT JOIN states AS s ON o.cluster = s.cluster AND o.group_id = s.group_id
LEFT JOIN readers AS m ON o.cluster = m.cluster AND o.group_id = m.group_id
LEFT JOIN memberless_groups AS n ON o.cluster = n.cluster AND o.group_id = n.group_id
LEFT JOIN assigned AS p
    ON o.cluster = p.cluster AND o.group_id = p.group_id AND o.topic = p.topic AND o.partition = p.partition
