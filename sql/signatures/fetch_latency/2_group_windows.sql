-- Which consumer groups got on with a topic, and by how many records. Counted are records between sweeps within one
-- interval of the leader: what it sent in another time is no measure of them.
-- out: one row per cluster, topic, window and leader of what they read, whose records may be 0; and one of all leaders
WITH progress AS (
    SELECT
        p.*,
        if(s.broker IS NULL, 0, p.records) AS counted,
        floor(try_divide(unix_micros(p.to_sweep), 1e6D * t.window_s)) AS time_window
    FROM commit_intervals AS p
    INNER JOIN fetch_latency_thresholds AS t ON p.cluster = t.cluster
    LEFT JOIN fetch_spans AS s
        ON
            p.cluster = s.cluster AND p.leader = s.broker AND s.kind = 'sweeps'
            AND p.from_sweep >= s.from_sweep AND p.to_sweep <= s.to_sweep
    WHERE p.records > 0
)

SELECT
    cluster,
    topic,
    leader,
    time_window,
    grouping(leader) = 1 AS all_leaders,
    try_sum(counted) AS records,
    collect_set(group_id) AS groups
FROM progress
GROUP BY GROUPING SETS ((cluster, topic, time_window, leader), (cluster, topic, time_window))
