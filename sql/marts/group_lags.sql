-- How far each consumer group is behind, and how near the deletion is, between its first and last offsets of the day.
-- What a sweep after the last whole one gave of some groups alone is left out.
WITH offsets AS (
    SELECT
        o.cluster,
        o.group_id,
        o.topic,
        o.partition,
        max(c.lags_sweep) AS to_sweep,
        min(o.sweep_at) AS from_sweep,
        max_by(o.committed_offset, o.sweep_at) AS committed_offset,
        min_by(o.committed_offset, o.sweep_at) AS from_committed_offset
    FROM raw_group_offsets AS o
    INNER JOIN cluster_days AS c ON o.cluster = c.cluster
    WHERE to_date(o.sweep_at) = :ds AND o.sweep_at <= c.lags_sweep
    GROUP BY o.cluster, o.group_id, o.topic, o.partition
    HAVING max(o.sweep_at) = max(c.lags_sweep)
),

moments AS (
    SELECT
        *,
        explode(array(from_sweep, to_sweep)) AS sweep_at
    FROM offsets
),

-- few topics of a large cluster are read by groups: the others' logs need not be moved about
leaders AS (
    SELECT p.*
    FROM raw_partitions AS p
    LEFT SEMI JOIN raw_group_offsets AS o ON p.cluster = o.cluster AND p.topic = o.topic
    WHERE p.replicas_count > 0 AND p.log_start_offset >= 0 AND p.log_end_offset >= 0
),

spans AS (
    SELECT
        m.* EXCEPT (from_sweep, sweep_at),
        max(n.memberless) IS NOT NULL AS memberless,
        max(CASE WHEN m.sweep_at = m.to_sweep THEN p.read_at END) AS to_at,
        max(CASE WHEN m.sweep_at = m.to_sweep THEN p.log_start_offset END) AS log_start_offset,
        max(CASE WHEN m.sweep_at = m.to_sweep THEN p.log_end_offset END) AS log_end_offset,
        max(CASE WHEN m.sweep_at < m.to_sweep THEN p.read_at END) AS from_at,
        max(CASE WHEN m.sweep_at < m.to_sweep THEN p.log_start_offset END) AS from_log_start_offset,
        max(CASE WHEN m.sweep_at < m.to_sweep THEN p.log_end_offset END) AS from_log_end_offset
    FROM moments AS m
    LEFT JOIN leaders AS p
        ON m.cluster = p.cluster AND m.sweep_at = p.sweep_at AND m.topic = p.topic AND m.partition = p.partition
    LEFT JOIN group_days AS n ON m.cluster = n.cluster AND m.group_id = n.group_id AND n.memberless
    GROUP BY ALL
),

assigned AS (
    SELECT DISTINCT
        a.cluster,
        a.group_id,
        a.topic,
        a.partition
    FROM cluster_days AS c
    INNER JOIN raw_group_assignments AS a
        ON c.cluster = a.cluster AND c.lags_sweep BETWEEN a.sweep_at AND a.last_sweep_at
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
    FROM cluster_days AS c
    INNER JOIN raw_groups AS g ON c.cluster = g.cluster AND c.lags_sweep BETWEEN g.sweep_at AND g.last_sweep_at
    GROUP BY g.cluster, g.group_id
)

SELECT
    s.* EXCEPT (to_sweep, from_committed_offset),
    g.group_state,
    CASE WHEN s.from_log_end_offset IS NOT NULL THEN s.from_committed_offset END AS from_committed_offset,
    -- a group that shows assignments, and none of this partition, does not read it any more
    r.group_id IS NOT NULL AND a.group_id IS NULL AS left_behind,
    (unix_micros(s.to_at) - unix_micros(s.from_at)) / 1e6D AS seconds
FROM spans AS s
LEFT JOIN states AS g ON s.cluster = g.cluster AND s.group_id = g.group_id
LEFT JOIN readers AS r ON s.cluster = r.cluster AND s.group_id = r.group_id
LEFT JOIN assigned AS a
    ON s.cluster = a.cluster AND s.group_id = a.group_id AND s.topic = a.topic AND s.partition = a.partition
