-- Which consumer groups have offsets of what a leader leads, and whether they got on with it in a window.
-- out: one row per cluster, topic, leader, window and group. got_on: by any record. records: those between sweeps
--      within one interval of the leader; what it sent in another time is no measure of them
WITH progress AS (
    SELECT
        p.*,
        if(p.records > 0 AND s.broker IS NOT NULL, p.records, 0) AS counted,
        floor(try_divide(unix_micros(p.to_sweep), 1e6D * t.window_s)) AS time_window
    FROM commit_intervals AS p
    INNER JOIN fetch_latency_thresholds AS t ON p.cluster = t.cluster
    LEFT JOIN fetch_spans AS s
        ON
            p.cluster = s.cluster AND p.leader = s.broker AND s.kind = 'sweeps'
            AND p.from_sweep >= s.from_sweep AND p.to_sweep <= s.to_sweep
)

SELECT
    cluster,
    topic,
    leader,
    time_window,
    group_id,
    coalesce(max(records > 0), FALSE) AS got_on,
    try_sum(counted) AS records
FROM progress
GROUP BY cluster, topic, leader, time_window, group_id
