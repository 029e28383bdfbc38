-- When was each process last started?
-- out: one row per process; the oldest process first
SELECT
    a.cluster,
    cast(a.broker AS STRING) AS object_name,
    NULL AS object_detail,
    a.process_start AS from_at,
    a.started_read AS to_at,
    (unix_micros(a.started_read) - unix_micros(a.process_start)) / 86400e6D AS amount,
    CASE WHEN amount IS NULL THEN 'unread' ELSE 'age' END AS metric,
    CASE WHEN a.is_broker THEN 'broker' ELSE 'controller' END AS kind,
    row_number() OVER (PARTITION BY a.cluster ORDER BY a.process_start, a.broker) AS ordinal,
    coalesce(amount > t.max_days, FALSE) AS is_subject
FROM broker_days AS a
INNER JOIN not_rolled_for_long_thresholds AS t ON a.cluster = t.cluster
