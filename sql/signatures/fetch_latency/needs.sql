-- Which brokers have the counters, and whether consumer groups were read.
-- in:  broker_days, fetch_spans, cluster_days, unread_groups
-- out: one row per broker, and one per cluster of which consumer groups were not read at every sweep
SELECT
    b.cluster,
    'counters' AS need,
    b.broker,
    exists(
        SELECT 1
        FROM fetch_spans AS s
        WHERE b.cluster = s.cluster AND b.broker = s.broker
    ) AS is_met,
    NULL AS reason,
    NULL AS amount,
    NULL AS total
FROM broker_days AS b
WHERE b.is_broker
UNION ALL
SELECT
    c.cluster,
    'groups' AS need,
    NULL AS broker,
    NULL AS is_met,
    CASE WHEN NOT max(c.groups_read) THEN 'unread' ELSE 'unread_at_times' END AS reason,
    count(u.cluster) AS amount,
    max(c.sweep_count) AS total
FROM cluster_days AS c
LEFT JOIN unread_groups AS u ON c.cluster = u.cluster
WHERE NOT c.groups_read OR u.cluster IS NOT NULL
GROUP BY c.cluster
