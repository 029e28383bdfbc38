-- Whether the metadata and the brokers' gauges were read often enough, and what of the controllers is known.
-- in:  broker_sweeps, cluster_days, cluster_sweeps, out_of_sync_replicas, topic_days
-- out: sweeps with metadata of each cluster; reads of each broker; reads that told whether the node is the active
--      controller; partitions out of sync whose topics show no min.insync.replicas
SELECT
    d.cluster,
    'metadata' AS need,
    NULL AS broker,
    count(s.sweep_at) AS amount,
    NULL AS total
FROM cluster_days AS d
LEFT JOIN cluster_sweeps AS s ON d.cluster = s.cluster AND s.topics_read AND d.first_sweep <= s.sweep_at
GROUP BY d.cluster
UNION ALL
SELECT
    cluster,
    'gauges' AS need,
    broker,
    count(read_at) AS amount,
    NULL AS total
FROM broker_sweeps
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    'controllers' AS need,
    NULL AS broker,
    count(active_controller) AS amount,
    NULL AS total
FROM broker_sweeps
GROUP BY cluster
UNION ALL
SELECT
    o.cluster,
    'minimum' AS need,
    NULL AS broker,
    count(DISTINCT o.topic, o.partition) AS amount,
    NULL AS total
FROM out_of_sync_replicas AS o
INNER JOIN topic_days AS t ON o.cluster = t.cluster AND o.topic = t.topic
WHERE t.min_insync_replicas IS NULL
GROUP BY o.cluster
