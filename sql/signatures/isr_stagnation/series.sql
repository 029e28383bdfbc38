-- In-sync sets that lack a caught-up follower, where any is frozen, and those that lack a dead broker.
-- out: one row per pair of sweeps, or per dead broker and pair of sweeps
SELECT
    h.cluster,
    h.from_sweep AS from_at,
    h.to_sweep AS to_at,
    'caught_up' AS chart,
    NULL AS object_name,
    1.0D AS threshold,
    count(DISTINCT h.topic, h.partition) AS amount
FROM isr_held AS h
LEFT SEMI JOIN isr_streaks AS s ON h.cluster = s.cluster AND s.cause = 'frozen'
WHERE h.held_as IN ('frozen', 'idle', 'unproven', 'expanding')
GROUP BY h.cluster, h.from_sweep, h.to_sweep
UNION ALL
SELECT
    a.cluster,
    a.from_sweep AS from_at,
    a.to_sweep AS to_at,
    'dead_broker' AS chart,
    a.broker AS object_name,
    1.0D AS threshold,
    a.partition_count AS amount
FROM broker_assignments AS a
INNER JOIN isr_brokers AS s
    ON a.cluster = s.cluster AND a.broker = s.broker AND a.from_sweep >= s.from_at AND a.to_sweep <= s.to_at
WHERE s.cause = 'dead_broker' AND NOT a.is_listed
