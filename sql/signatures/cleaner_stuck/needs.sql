-- Whether the log cleaners were read, and whether it is known how dirty a log may be before they compact it.
-- in:  broker_sweeps, broker_days, topic_days, cluster_days
-- out: reads of each broker's cleaner, total 1 where it is switched off; topics whose policy is known, and the ratio of
--      compacted ones, of total; reads of open transactions
SELECT
    d.cluster,
    'gauges' AS need,
    d.broker,
    count(b.cleaner_idle_ms) AS amount,
    if(max(d.cleaner_enabled) = 'false', 1, 0) AS total
FROM broker_days AS d
LEFT JOIN broker_sweeps AS b ON d.cluster = b.cluster AND d.broker = b.broker
WHERE d.is_broker
GROUP BY d.cluster, d.broker
UNION ALL
SELECT
    c.cluster,
    'ratios' AS need,
    NULL AS broker,
    count_if(
        t.cleanup_policy IS NOT NULL
        AND (t.min_cleanable_ratio IS NOT NULL OR NOT contains(t.cleanup_policy, 'compact'))
    ) AS amount,
    count(t.topic) AS total
FROM cluster_days AS c
LEFT JOIN topic_days AS t ON c.cluster = t.cluster
GROUP BY c.cluster
UNION ALL
SELECT
    cluster,
    'transactions' AS need,
    NULL AS broker,
    count(listed_transactions) AS amount,
    NULL AS total
FROM broker_sweeps
GROUP BY cluster
