-- The committed offset, and the log end, that fell furthest.
-- out: one row per sweep of the group's partition, and of the leader's
SELECT
    p.cluster,
    'committed' AS chart,
    p.group_id AS object_name,
    concat(p.topic, '-', p.partition) AS object_detail,
    p.from_sweep AS from_at,
    p.to_sweep AS to_at,
    p.committed_offset AS amount
FROM commit_intervals AS p
INNER JOIN offset_rewind_detections AS d
    ON p.cluster = d.cluster AND p.group_id = d.group_id AND p.topic = d.topic AND p.partition = d.partition
WHERE d.furthest = 1
UNION ALL
SELECT
    p.cluster,
    'log_end' AS chart,
    NULL AS object_name,
    concat(p.topic, '-', p.partition) AS object_detail,
    p.from_sweep AS from_at,
    p.to_sweep AS to_at,
    p.log_end_offset AS amount
FROM partition_rates AS p
INNER JOIN offset_rewind_detections AS d
    ON p.cluster = d.cluster AND p.topic = d.topic AND p.partition = d.lost_partition
WHERE d.furthest = 1 AND d.offset_before IS NOT NULL
