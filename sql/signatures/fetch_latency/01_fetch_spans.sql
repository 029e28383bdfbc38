-- Intervals whose consumer fetches can be judged, each with the window of the day it is summed in. What idle members
-- may let expire is known by the sweep at its end: an interval whose last sweep could not read them is not judged.
-- in:  counters, unread_groups
-- out: one row per cluster, broker and interval
SELECT
    c.cluster,
    c.broker,
    c.from_sweep,
    c.to_sweep,
    c.kind,
    c.from_at,
    c.to_at,
    c.seconds,
    c.consumer_fetches,
    c.expired_consumer_fetches,
    -- the interval from process start has no rates of its own to be judged by, so it is a window of its own
    CASE WHEN c.kind = 'start' THEN -1 ELSE floor(unix_seconds(c.to_sweep) / :window_s) END AS time_window
FROM counters AS c
LEFT ANTI JOIN unread_groups AS u ON c.cluster = u.cluster AND c.to_sweep = u.sweep_at
WHERE array_contains(:clusters, c.cluster) AND NOT c.ran_back AND c.expired_consumer_fetches IS NOT NULL
