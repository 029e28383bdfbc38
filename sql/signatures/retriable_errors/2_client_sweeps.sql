-- Per sweep: how many connections may be producers without retries, and whether that can be told.
-- in:  old_clients, declared_producers, cluster_days
-- out: one row per cluster and sweep of brokers that tell client libraries
SELECT
    o.cluster,
    o.sweep_at,
    try_sum(o.connections) AS connections,
    try_sum(o.nameless) AS nameless,
    try_sum(coalesce(o.nameless_before, o.nameless)) AS nameless_before,
    try_sum(o.old_java) AS old_java,
    try_sum(greatest(o.old_java, coalesce(o.old_java_before, 0))) AS old_java_either,
    array_sort(collect_set(CASE WHEN o.nameless > 0 OR o.nameless_before > 0 THEN o.listener END)) AS nameless_on,
    array_sort(collect_set(CASE WHEN o.old_java > 0 OR o.old_java_before > 0 THEN o.listener END)) AS old_java_on
FROM old_clients AS o
WHERE array_contains(:clusters, o.cluster)
GROUP BY o.cluster, o.sweep_at
