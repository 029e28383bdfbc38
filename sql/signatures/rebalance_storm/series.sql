-- Rebalances that coordinators of what is detected completed, and members that came in place of others.
-- in:  rebalance_storm_detections, broker_sweeps, group_changes
-- out: one row per broker and interval, and one per group and sweep with a replaced member
WITH reads AS (
    SELECT
        cluster,
        broker,
        read_at AS to_at,
        lag(read_at) OVER process AS from_at,
        completed_rebalances - lag(completed_rebalances) OVER process AS amount
    FROM broker_sweeps
    WINDOW process AS (PARTITION BY cluster, broker, start_ms ORDER BY sweep_at)
)

SELECT DISTINCT
    r.cluster,
    'rebalances' AS chart,
    r.from_at,
    r.to_at,
    r.amount,
    try_cast(r.broker AS STRING) AS object_name
FROM reads AS r
INNER JOIN rebalance_storm_detections AS d ON r.cluster = d.cluster AND r.broker = d.broker
WHERE r.amount >= 0 AND d.ordinal <= 4
UNION ALL
SELECT
    c.cluster,
    'replaced' AS chart,
    c.sweep_at AS from_at,
    c.sweep_at AS to_at,
    try_sum(c.replaced) AS amount,
    c.group_id AS object_name
FROM group_changes AS c
LEFT SEMI JOIN rebalance_storm_detections AS d
    ON c.cluster = d.cluster AND c.group_id = d.group_id AND d.ordinal <= 4 AND d.cause IN ('slow_members', 'restarts')
WHERE c.replaced > 0
GROUP BY c.cluster, c.group_id, c.sweep_at
