-- Which brokers have the counters, and whether consumer groups were read.
-- out: one row per broker with intervals, and one per cluster of which consumer groups were not read at every sweep
SELECT
    cluster,
    'counters' AS need,
    broker,
    NULL AS reason,
    count(*) AS amount,
    NULL AS total
FROM fetch_spans
GROUP BY cluster, broker
UNION ALL
SELECT
    c.cluster,
    'groups' AS need,
    NULL AS broker,
    CASE WHEN NOT max(c.groups_read) THEN 'unread' ELSE 'unread_at_times' END AS reason,
    count(u.cluster) AS amount,
    max(c.sweep_count) AS total
FROM cluster_days AS c
LEFT JOIN cluster_sweeps AS u ON c.cluster = u.cluster AND u.groups_missed
WHERE NOT c.groups_read OR u.cluster IS NOT NULL
GROUP BY c.cluster
