-- The state of log cleaner, coordinators and committed offsets over the day.
-- in:  coordinator_health
-- out: one row per cluster; the worst broker's gauges, counts summed over the brokers
SELECT
    cluster,
    max(cleaner_dead_threads) AS cleaner_dead_threads,
    max(uncleanable_partitions) AS uncleanable_partitions,
    max(cleaner_idle_ms) / 1000 AS cleaner_idle_s,
    max(offsets_log_bytes) / 1e6D AS offsets_log_mb,
    max(offsets_log_bytes - from_offsets_log_bytes) / 1e6D AS offsets_log_growth_mb,
    max(offsets_load_ms_max) AS offsets_load_ms,
    try_sum(out_of_range) AS out_of_range,
    try_divide(
        try_cast(try_sum(offset_commits) AS DOUBLE), try_cast(try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS DOUBLE)
    ) AS commits_per_s,
    try_sum(offset_expirations) AS offset_expirations,
    max(group_offsets) AS group_offsets,
    max(groups) AS coordinated_groups
FROM coordinator_health
WHERE array_contains(:clusters, cluster)
GROUP BY cluster
