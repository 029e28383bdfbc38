-- Committed offsets of a group between its cluster's consecutive sweeps.
-- in:  raw_group_offsets, raw_sweeps, raw_topics, cluster_sweeps
-- out: one row per group, partition and pair of sweeps; records may be negative: a rewind is a fact, not an error.
--      Without the earlier commit where it was not read before the later one.
WITH pairs AS (
    SELECT
        s.cluster,
        s.sweep_at AS to_sweep,
        lag(s.sweep_at) OVER (PARTITION BY s.cluster ORDER BY s.sweep_at) AS from_sweep
    FROM raw_sweeps AS s
    LEFT ANTI JOIN cluster_sweeps AS o ON s.cluster = o.cluster AND s.sweep_at = o.sweep_at AND o.overlapped
    WHERE NOT array_contains(s.admin_missing, 'group_offsets') AND s.admin_outcome != 'failed'
),

commits AS (
    SELECT
        o.cluster,
        o.group_id,
        o.topic,
        o.partition,
        p.from_sweep,
        p.to_sweep,
        o.committed_offset,
        o.read_at,
        lag(p.to_sweep) OVER before AS before_sweep,
        lag(o.committed_offset) OVER before AS before_offset,
        lag(o.read_at) OVER before AS before_read_at
    FROM pairs AS p
    INNER JOIN raw_group_offsets AS o ON p.cluster = o.cluster AND p.to_sweep = o.sweep_at
    WINDOW before AS (PARTITION BY o.cluster, o.group_id, o.topic, o.partition ORDER BY p.to_sweep)
),

compared AS (
    SELECT
        *,
        before_sweep = from_sweep AND coalesce(read_at > before_read_at, TRUE) AS has_before
    FROM commits
    WHERE to_date(to_sweep) = :ds
),

-- few topics of a large cluster are read by groups: the others' metadata need not be moved about
leaders AS (
    SELECT
        t.cluster,
        t.sweep_at,
        t.topic,
        t.partition,
        t.leader
    FROM raw_topics AS t
    LEFT SEMI JOIN raw_group_offsets AS o ON t.cluster = o.cluster AND t.topic = o.topic
)

SELECT
    c.cluster,
    c.group_id,
    c.topic,
    c.partition,
    c.from_sweep,
    c.to_sweep,
    l.leader,
    c.committed_offset,
    CASE WHEN c.has_before THEN c.before_offset END AS from_committed_offset,
    CASE WHEN c.has_before THEN c.committed_offset - c.before_offset END AS records,
    CASE WHEN c.has_before THEN (unix_micros(c.read_at) - unix_micros(c.before_read_at)) / 1e6D END AS seconds
FROM compared AS c
LEFT JOIN leaders AS l
    ON c.cluster = l.cluster AND c.to_sweep = l.sweep_at AND c.topic = l.topic AND c.partition = l.partition
