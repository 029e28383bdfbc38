-- Which consumer groups got on with a topic, and by how many records.
-- out: one row per cluster, topic, window and leader of what they read, whose records may be 0; and one of all leaders
SELECT
    cluster,
    topic,
    leader,
    time_window,
    grouping(leader) = 1 AS all_leaders,
    try_sum(records) AS records,
    collect_set(group_id) AS groups
FROM group_progress
WHERE got_on
GROUP BY GROUPING SETS ((cluster, topic, time_window, leader), (cluster, topic, time_window))
