-- Groups that got on with a topic in a window, whichever broker leads what they read.
-- in:  group_windows
-- out: one row per cluster, topic and window; groups are in no order
SELECT
    cluster,
    topic,
    time_window,
    array_distinct(flatten(collect_list(groups))) AS groups
FROM group_windows
GROUP BY cluster, topic, time_window
