-- Brokers whose log cleaner has stopped while their __consumer_offsets grows: the next load there is slow or stale.
-- in:  coordinator_health (the last interval of the day per broker), broker_days
-- out: one row per cluster and broker
WITH last_reads AS (
    SELECT
        cluster,
        broker,
        max_by(from_at, to_at) AS from_at,
        max(to_at) AS to_at,
        max_by(cleaner_dead_threads, to_at) AS cleaner_dead_threads,
        max_by(uncleanable_partitions, to_at) AS uncleanable_partitions,
        max_by(cleaner_idle_ms, to_at) / 1000 AS cleaner_idle_s,
        max_by(offsets_log_bytes, to_at) / 1e6D AS offsets_log_mb,
        max(offsets_load_ms_max) AS offsets_load_ms
    FROM coordinator_health
    WHERE array_contains(:clusters, cluster)
    GROUP BY cluster, broker
)

SELECT
    r.cluster,
    r.broker,
    r.from_at,
    r.to_at,
    r.cleaner_dead_threads,
    r.uncleanable_partitions,
    r.cleaner_idle_s,
    r.offsets_log_mb,
    r.offsets_load_ms
FROM last_reads AS r
WHERE
    r.offsets_log_mb >= :min_offsets_log_mb
    AND (
        r.cleaner_dead_threads > 0
        OR r.uncleanable_partitions > 0
        -- before 2.4 there is no count of dead threads; a live cleaner looks for work every 15 s
        OR (r.cleaner_dead_threads IS NULL AND r.cleaner_idle_s >= :max_cleaner_idle_s)
    )
