-- Leaders whose partitions a group got on with, and that sent consumers far fewer bytes than those records hold.
-- in:  group_windows, topic_windows
-- out: one row per cluster, topic, leader and window: its records were read somewhere else
SELECT
    p.cluster,
    p.topic,
    p.leader AS broker,
    p.time_window,
    p.groups
FROM group_windows AS p
INNER JOIN topic_windows AS x
    ON p.cluster = x.cluster AND p.topic = x.topic AND p.leader = x.broker AND p.time_window = x.time_window
WHERE x.messages_in > 0 AND x.bytes_out < try_divide(:bypass_share * p.records * x.bytes_in, x.messages_in)
