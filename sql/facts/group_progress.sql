-- Committed offsets of a group between its cluster's consecutive sweeps.
-- in:  raw_group_offsets, raw_sweeps, raw_topics, overlapped_sweeps
-- out: one row per group, partition and pair of sweeps; records may be negative: a rewind is a fact, not an error.
--      Without the earlier commit where it was not read before the later one.
WITH pairs AS (
    SELECT
        s.cluster,
        s.sweep_at AS to_sweep,
        lag(s.sweep_at) OVER (PARTITION BY s.cluster ORDER BY s.sweep_at) AS from_sweep
    FROM raw_sweeps AS s
    LEFT ANTI JOIN overlapped_sweeps AS o ON s.cluster = o.cluster AND s.sweep_at = o.sweep_at
    WHERE NOT array_contains(s.admin_missing, 'group_offsets') AND s.admin_outcome != 'failed'
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
    p.cluster,
    t.group_id,
    t.topic,
    t.partition,
    p.from_sweep,
    p.to_sweep,
    l.leader,
    f.committed_offset AS from_committed_offset,
    t.committed_offset,
    t.committed_offset - f.committed_offset AS records,
    (unix_micros(t.read_at) - unix_micros(f.read_at)) / 1e6D AS seconds
FROM pairs AS p
INNER JOIN raw_group_offsets AS t ON p.cluster = t.cluster AND p.to_sweep = t.sweep_at
LEFT JOIN raw_group_offsets AS f
    ON
        p.cluster = f.cluster
        AND p.from_sweep = f.sweep_at
        AND t.group_id = f.group_id
        AND t.topic = f.topic
        AND t.partition = f.partition
        AND coalesce(t.read_at > f.read_at, TRUE)
LEFT JOIN leaders AS l
    ON p.cluster = l.cluster AND p.to_sweep = l.sweep_at AND t.topic = l.topic AND t.partition = l.partition
WHERE to_date(p.to_sweep) = :ds
