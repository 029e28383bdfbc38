-- Records that consumer groups got on with, per leader of the partitions they read. Counted are those between sweeps
-- within one interval of the leader: what it sent in another time is no measure of them.
-- in:  group_progress, fetch_spans
-- out: one row per cluster, topic, leader and window; records may be 0, where a group got on in uncounted time
SELECT
    p.cluster,
    p.topic,
    p.leader,
    floor(unix_seconds(p.to_sweep) / :window_s) AS time_window,
    try_sum(CASE WHEN s.broker IS NOT NULL THEN p.records ELSE 0 END) AS records,
    collect_set(p.group_id) AS groups
FROM group_progress AS p
LEFT JOIN fetch_spans AS s
    ON
        p.cluster = s.cluster
        AND p.leader = s.broker
        AND s.kind = 'sweeps'
        AND p.from_sweep >= s.from_sweep
        AND p.to_sweep <= s.to_sweep
WHERE array_contains(:clusters, p.cluster) AND p.records > 0
GROUP BY p.cluster, p.topic, p.leader, floor(unix_seconds(p.to_sweep) / :window_s)
