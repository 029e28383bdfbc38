-- Intervals whose consumer fetches can be judged, each with the window of the day it is summed in.
-- in:  counters
-- out: one row per cluster, broker and interval
SELECT
    cluster,
    broker,
    to_sweep,
    kind,
    from_at,
    to_at,
    seconds,
    consumer_fetches,
    expired_consumer_fetches,
    -- the interval from process start has no rates of its own to be judged by, so it is a window of its own
    CASE WHEN kind = 'start' THEN -1 ELSE floor(unix_seconds(to_sweep) / :window_s) END AS time_window
FROM counters
WHERE array_contains(:clusters, cluster) AND NOT ran_back AND expired_consumer_fetches IS NOT NULL
