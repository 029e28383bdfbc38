-- How far is each group behind on each partition, and how soon does the deletion reach it, at the pace of the day?
-- out: one row per group and partition. A partition that no member of a reading group is assigned to is old commits of
--      a topic no longer read. deleted: records, today, and before the group has read them. oldest_s: how old the first
--      records of the log are; null where nothing arrived, and it is not known
SELECT
    g.cluster,
    g.group_id,
    g.topic,
    g.from_at,
    g.to_at,
    g.log_end_offset,
    g.from_log_start_offset,
    g.memberless,
    CASE WHEN t.retention_ms > 0 THEN t.retention_ms / 1e3D END AS retention_s,
    coalesce(t.retention_bytes > 0, FALSE) AS by_size,
    t.cleanup_policy IS NULL AS unknown_policy,
    coalesce(contains(t.cleanup_policy, 'delete') AND (t.retention_ms > 0 OR t.retention_bytes > 0), FALSE) AS expires,
    greatest(0, g.log_end_offset - g.committed_offset) AS lag,
    greatest(0, g.log_start_offset - greatest(g.committed_offset, g.from_log_start_offset)) AS deleted,
    coalesce(g.group_state IN ('Empty', 'Dead'), FALSE) AS nobody,
    try_divide(greatest(0, g.log_end_offset - g.from_log_end_offset), g.seconds) AS arrivals_per_s,
    try_divide(
        g.log_start_offset - g.from_log_start_offset - g.committed_offset + g.from_committed_offset, g.seconds
    ) AS closing_per_s,
    -- records that arrived within the measured span are younger than it; older ones are dated by the rate within
    CASE
        WHEN lag = 0 THEN 0D
        WHEN g.committed_offset >= g.from_log_end_offset
            THEN least(g.seconds, coalesce(try_divide(lag, arrivals_per_s), g.seconds))
        ELSE g.seconds + coalesce(try_divide(g.from_log_end_offset - g.committed_offset, arrivals_per_s), 0D)
    END AS behind_s,
    try_divide(lag, g.log_end_offset - g.log_start_offset) AS unread_share,
    CASE
        WHEN g.log_start_offset > g.from_log_start_offset AND closing_per_s > 0
            THEN try_divide(greatest(0, g.committed_offset - g.log_start_offset), closing_per_s)
    END AS left_s,
    CASE
        WHEN arrivals_per_s > 0
            THEN g.seconds + greatest(0D, try_divide(g.from_log_end_offset - g.log_start_offset, arrivals_per_s))
    END AS oldest_s,
    -- a group without members whose loss is older than the day is one that nobody runs any more
    nobody
    AND coalesce(g.log_start_offset > g.committed_offset, FALSE)
    AND NOT coalesce(g.from_log_start_offset <= g.from_committed_offset, FALSE) AS abandoned
FROM group_lags AS g
LEFT JOIN topic_days AS t ON g.cluster = t.cluster AND g.topic = t.topic
WHERE NOT g.left_behind
