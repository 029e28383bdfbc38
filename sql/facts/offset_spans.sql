-- Committed offsets at the first sweep of the day that has any of a group and partition, and at the last of all.
-- in:  raw_group_offsets, admin_reads
-- out: one row per group and partition with a committed offset at the last sweep that read them; what a later sweep
--      gave of some groups alone is left out
SELECT
    o.cluster,
    o.group_id,
    o.topic,
    o.partition,
    max(a.lags_sweep) AS to_sweep,
    min(o.sweep_at) AS from_sweep,
    max_by(o.committed_offset, o.sweep_at) AS committed_offset,
    min_by(o.committed_offset, o.sweep_at) AS from_committed_offset
FROM raw_group_offsets AS o
INNER JOIN admin_reads AS a ON o.cluster = a.cluster
WHERE to_date(o.sweep_at) = :ds AND o.sweep_at <= a.lags_sweep
GROUP BY o.cluster, o.group_id, o.topic, o.partition
HAVING max(o.sweep_at) = max(a.lags_sweep)
