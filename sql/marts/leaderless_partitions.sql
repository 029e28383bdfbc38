-- Partitions that had no leader at a sweep of the day, with what the cluster still had of their replicas.
-- in:  raw_topics, broker_sweeps, cluster_sweeps
-- out: one row per such partition and sweep. last_in_sync: a broker that was in sync last, else its preferred leader.
--      live_replicas, live_in_sync: how many of its replicas, and of those that were in sync last, are on brokers that
--      the cluster lists and that have no log directory offline
WITH live AS (
    SELECT
        cluster,
        sweep_at,
        collect_set(broker) AS brokers
    FROM broker_sweeps
    WHERE is_listed AND coalesce(offline_log_dirs = 0, TRUE)
    GROUP BY cluster, sweep_at
)

SELECT
    t.cluster,
    s.sweep_at,
    t.topic,
    t.partition,
    coalesce(array_min(t.isr), get(t.replicas, 0)) AS last_in_sync,
    coalesce(size(array_intersect(t.replicas, l.brokers)), 0) AS live_replicas,
    coalesce(size(array_intersect(t.isr, l.brokers)), 0) AS live_in_sync
FROM raw_topics AS t
INNER JOIN cluster_sweeps AS s
    ON t.cluster = s.cluster AND s.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at AND s.topics_read
LEFT JOIN live AS l ON s.cluster = l.cluster AND s.sweep_at = l.sweep_at
WHERE t.leader IS NULL AND to_date(s.sweep_at) = :ds
