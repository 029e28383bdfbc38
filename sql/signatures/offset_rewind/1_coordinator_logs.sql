-- How the log cleaner, the offsets log and the coordinator of each broker stood, over the day and at its last read.
-- out: one row per cluster and broker. from_at, to_at, offsets_log_mb: of its last interval; unsafe: its cleaner had
--      stopped then while its offsets log had grown; uncompacted: either was so in any interval. What follows is of the
--      cluster: the worst broker's gauges, and counts summed over the brokers
WITH states AS (
    SELECT
        h.*,
        coalesce(h.offsets_log_bytes >= 1e6D * t.min_offsets_log_mb, FALSE) AS log_grown,
        coalesce(h.cleaner_dead_threads > 0, FALSE)
        OR coalesce(h.uncleanable_partitions > 0, FALSE)
        -- before 2.4 there is no count of dead threads; a live cleaner looks for work every 15 s
        OR coalesce(h.cleaner_dead_threads IS NULL AND h.cleaner_idle_ms >= 1000 * t.max_cleaner_idle_s, FALSE)
            AS cleaner_stopped
    FROM broker_counters AS h
    INNER JOIN offset_rewind_thresholds AS t ON h.cluster = t.cluster
)

SELECT
    cluster,
    broker,
    max_by(from_at, to_at) AS from_at,
    max(to_at) AS to_at,
    max_by(offsets_log_bytes, to_at) / 1e6D AS offsets_log_mb,
    max_by(cleaner_stopped AND log_grown, to_at) AS unsafe,
    max(cleaner_stopped OR log_grown) AS uncompacted,
    row_number() OVER (PARTITION BY cluster ORDER BY broker) AS place,
    max(max(cleaner_dead_threads)) OVER of_cluster AS cleaner_dead_threads,
    max(max(uncleanable_partitions)) OVER of_cluster AS uncleanable_partitions,
    max(max(cleaner_idle_ms)) OVER of_cluster / 1000 AS cleaner_idle_s,
    max(max(offsets_log_bytes)) OVER of_cluster / 1e6D AS most_offsets_log_mb,
    max(max(offsets_log_bytes - from_offsets_log_bytes)) OVER of_cluster / 1e6D AS offsets_log_growth_mb,
    max(max(offsets_load_ms_max)) OVER of_cluster AS offsets_load_ms,
    try_sum(try_sum(out_of_range)) OVER of_cluster AS out_of_range,
    try_divide(
        try_cast(try_sum(try_sum(offset_commits)) OVER of_cluster AS DOUBLE),
        try_cast(try_sum(try_sum(try_cast(seconds AS DECIMAL(28, 9)))) OVER of_cluster AS DOUBLE)
    ) AS commits_per_s,
    max(max(group_offsets)) OVER of_cluster AS group_offsets,
    max(max(groups)) OVER of_cluster AS coordinated_groups
FROM states
GROUP BY cluster, broker
WINDOW of_cluster AS (PARTITION BY cluster)
