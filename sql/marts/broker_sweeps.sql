-- What each broker or controller showed at each sweep of the day of its own health, and whether the cluster lists it.
-- in:  raw_brokers, raw_broker_metrics, raw_listeners, raw_log_dirs, raw_transaction_coordinators, cluster_sweeps
-- out: one row per node and sweep; gauges are null where it was not read or its release lacks them. offline_log_dir:
--      the name of one that is offline
WITH dirs AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        count_if(offline > 0) AS offline_log_dirs,
        max(if(offline > 0, log_dir, NULL)) AS offline_log_dir
    FROM raw_log_dirs
    GROUP BY cluster, broker, sweep_at
),

held AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        -- a sum without one of its processors would be too small
        if(count(connections) = count(*), try_sum(try_cast(connections AS BIGINT)), NULL) AS connections
    FROM raw_listeners
    GROUP BY cluster, broker, sweep_at
)

SELECT
    b.cluster,
    b.broker,
    b.sweep_at,
    b.read_at,
    b.is_broker,
    m.broker_state,
    m.active_controller,
    m.controlled_shutdowns,
    m.offline_partitions,
    m.under_min_isr_partitions,
    m.offline_replicas,
    d.offline_log_dir,
    m.fetcher_failed_partitions,
    m.fetcher_dead_threads,
    m.fetcher_min_fetch_rate,
    m.leader_count,
    m.partition_count,
    m.reassigning_partitions,
    m.fenced_brokers,
    m.open_file_descriptors,
    m.max_file_descriptors,
    h.connections AS held_connections,
    m.new_active_controllers,
    m.controller_queue_ms_p99,
    m.queued_directory_assignments,
    m.late_transaction_partitions,
    m.cleaner_idle_ms,
    m.cleaner_max_dirty_percent,
    m.cleaner_max_buffer_percent,
    m.cleaner_recopy_percent,
    m.cleaner_max_compaction_delay_seconds,
    t.listed AS listed_transactions,
    t.long_open AS long_transactions,
    m.groups_preparing_rebalance,
    m.groups_completing_rebalance,
    m.completed_rebalances,
    -- a thread that has not ended a pass yet gives a time from before the epoch
    if(m.cleaner_max_clean_seconds >= 0, m.cleaner_max_clean_seconds, NULL) AS cleaner_max_clean_seconds,
    if(m.quorum_leader >= 0, m.quorum_epoch, NULL) AS quorum_epoch,
    b.host IS NOT NULL AS is_listed,
    coalesce(m.jvm_start_ms, m.app_start_ms) AS start_ms,
    greatest(m.offline_log_dirs, d.offline_log_dirs) AS offline_log_dirs,
    least(m.applied_metadata_offset, m.controller_applied_offset) AS applied_metadata_offset,
    -- a node with both roles counts one error in both
    greatest(m.metadata_load_errors + m.metadata_apply_errors, m.controller_metadata_errors) AS metadata_errors
FROM raw_brokers AS b
LEFT JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
LEFT JOIN dirs AS d ON b.cluster = d.cluster AND b.broker = d.broker AND b.sweep_at = d.sweep_at
LEFT JOIN held AS h ON b.cluster = h.cluster AND b.broker = h.broker AND b.sweep_at = h.sweep_at
LEFT JOIN raw_transaction_coordinators AS t
    ON b.cluster = t.cluster AND b.broker = t.broker AND b.sweep_at = t.sweep_at
LEFT ANTI JOIN cluster_sweeps AS o ON b.cluster = o.cluster AND b.sweep_at = o.sweep_at AND o.overlapped
WHERE to_date(b.sweep_at) = :ds
