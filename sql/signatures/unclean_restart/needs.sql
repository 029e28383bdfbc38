-- Which brokers were read twice, of which restarts it is known how the process before them ended, and which logs were
-- read.
-- out: intervals of each broker, and one row per restart, of which amount says whether it is known
SELECT
    cluster,
    'processes' AS need,
    broker,
    NULL AS reason,
    count(*) AS amount
FROM broker_intervals
WHERE kind = 'sweeps'
GROUP BY cluster, broker
UNION ALL
SELECT
    j.cluster,
    'controller' AS need,
    j.broker,
    CASE
        WHEN j.judged_as != 'unknown' THEN NULL
        WHEN NOT j.has_counter THEN 'no_counter'
        WHEN j.was_controller THEN 'was_controller'
        WHEN j.controlled_shutdowns IS NOT NULL THEN 'several'
        ELSE 'unread'
    END AS reason,
    -- where nothing counts how processes end, the length of a start is compared all the same
    if(
        j.judged_as != 'unknown'
        OR (
            NOT j.has_counter AND coalesce(d.cluster_mode, 'KRaft') = 'KRaft'
            AND j.start_seconds > 0 AND j.usual_seconds > 0
        ),
        1, 0
    ) AS amount
FROM judged_restarts AS j
LEFT JOIN cluster_days AS d ON j.cluster = d.cluster
WHERE j.judged_as != 'first_read'
UNION ALL
-- where the log of brokers is asked for its marks
SELECT
    cluster,
    'logs' AS need,
    broker,
    NULL AS reason,
    ok_reads AS amount
FROM log_reads
WHERE log = 'broker'
