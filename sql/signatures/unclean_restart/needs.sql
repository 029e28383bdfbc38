-- Which brokers were read twice, and of which restarts it is known how the process before them ended.
-- in:  broker_days, cluster_days, intervals, judged_restarts
-- out: one row per broker, and one per restart
SELECT
    b.cluster,
    'processes' AS need,
    b.broker,
    exists(
        SELECT 1
        FROM intervals AS i
        WHERE b.cluster = i.cluster AND b.broker = i.broker AND i.kind = 'sweeps'
    ) AS is_met,
    NULL AS reason
FROM broker_days AS b
WHERE b.is_broker
UNION ALL
SELECT
    j.cluster,
    'controller' AS need,
    j.broker,
    -- where nothing counts how processes end, the length of a start is compared all the same
    j.judged_as != 'unknown'
    OR coalesce(
        NOT j.has_counter
        AND coalesce(d.cluster_mode, 'KRaft') = 'KRaft'
        AND j.start_seconds > 0
        AND j.usual_seconds > 0,
        FALSE
    ) AS is_met,
    CASE
        WHEN j.judged_as != 'unknown' THEN NULL
        WHEN NOT j.has_counter THEN 'no_counter'
        WHEN j.was_controller THEN 'was_controller'
        WHEN j.controlled_shutdowns IS NOT NULL THEN 'several'
        ELSE 'unread'
    END AS reason
FROM judged_restarts AS j
LEFT JOIN cluster_days AS d ON j.cluster = d.cluster
WHERE j.judged_as != 'first_read'
