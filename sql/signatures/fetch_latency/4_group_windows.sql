-- Records that consumer groups got on with, per leader of the partitions they read.
-- in:  group_progress
-- out: one row per cluster, topic, leader and window
SELECT
    cluster,
    topic,
    leader,
    floor(unix_seconds(to_sweep) / :window_s) AS time_window,
    sum(records) AS records,
    collect_set(group_id) AS groups
FROM group_progress
WHERE array_contains(:clusters, cluster) AND records > 0
GROUP BY cluster, topic, leader, floor(unix_seconds(to_sweep) / :window_s)
