-- How fast the worst group of each cause got on with its topic.
-- out: one row per group, topic and pair of sweeps: records committed per second
SELECT
    p.cluster,
    'committed' AS chart,
    p.group_id AS object_name,
    p.topic AS object_detail,
    p.from_sweep AS from_at,
    p.to_sweep AS to_at,
    try_divide(
        try_sum(greatest(0, p.records)), (max(unix_micros(p.to_sweep)) - max(unix_micros(p.from_sweep))) / 1e6D
    ) AS amount
FROM commit_intervals AS p
LEFT SEMI JOIN skipping_groups AS g
    ON p.cluster = g.cluster AND p.group_id = g.group_id AND p.topic = g.topic AND g.place_in_cause = 1
WHERE p.from_sweep IS NOT NULL AND p.records IS NOT NULL
GROUP BY p.cluster, p.group_id, p.topic, p.from_sweep, p.to_sweep
