-- What each broker was over the day: where it is, what it ran, how it was read, its clock, log cleaner and elections.
-- Its clock is that of the read where it was off by the most for sure: agents tell whole seconds, at any time of their
-- answer.
WITH settings AS (
    SELECT
        cluster,
        broker,
        max_by(value, last_sweep_at) FILTER (WHERE name = 'process.roles') AS process_roles,
        max_by(value, last_sweep_at) FILTER (
            WHERE name = 'log.cleaner.enable' AND NOT redacted AND to_date(last_sweep_at) = :ds
        ) AS cleaner_enabled
    FROM raw_broker_configs
    WHERE name IN ('process.roles', 'log.cleaner.enable')
    GROUP BY cluster, broker
),

dirs AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(uncleanable_partitions) AS uncleanable_partitions,
        try_sum(uncleanable_bytes) AS uncleanable_bytes
    FROM raw_log_dirs
    GROUP BY cluster, broker, sweep_at
),

reads AS (
    SELECT
        b.*,
        m.release,
        m.active_controller,
        m.cleaner_dead_threads,
        m.cleaner_idle_ms,
        m.unclean_leader_elections,
        m.partition_count,
        d.uncleanable_partitions,
        d.uncleanable_bytes,
        coalesce(m.jvm_start_ms, m.app_start_ms) AS start_ms,
        if(b.read_at IS NULL, NULL, b.agent_clock_skew_s) AS clock_off_s,
        if(b.read_at IS NULL, NULL, greatest(0D, abs(b.agent_clock_skew_s) - 1 - coalesce(b.seconds, 0D)))
            AS clock_off_at_least_s,
        -- the broker's own clock says when its process began; where it is off, by the collector's that was another time
        timestamp_millis(
            try_subtract(start_ms, if(clock_off_at_least_s > 0, try_cast(1000 * round(clock_off_s) AS BIGINT), 0))
        ) AS process_start
    FROM raw_brokers AS b
    LEFT JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    LEFT JOIN dirs AS d ON b.cluster = d.cluster AND b.broker = d.broker AND b.sweep_at = d.sweep_at
    WHERE to_date(b.sweep_at) = :ds
)

SELECT
    r.cluster,
    r.broker,
    max_by(r.host, r.sweep_at) FILTER (WHERE r.host IS NOT NULL) AS advertised_host,
    max_by(r.rack, r.sweep_at) FILTER (WHERE r.host IS NOT NULL) AS rack,
    max_by(r.jolokia_url, r.sweep_at) AS jolokia_url,
    max_by(r.metrics_url, r.sweep_at) AS metrics_url,
    max_by(r.is_broker, r.sweep_at) AS is_broker,
    max(s.process_roles) AS process_roles,
    coalesce(max(r.active_controller), 0) > 0 AS was_active_controller,
    max_by(r.release, r.sweep_at) FILTER (WHERE r.release IS NOT NULL) AS kafka_release,
    min(r.read_at) AS first_read,
    max(r.read_at) AS last_read,
    count_if(r.outcome = 'ok') AS ok_reads,
    count_if(r.outcome = 'partial') AS partial_reads,
    count_if(r.outcome = 'truncated') AS truncated_reads,
    count_if(r.outcome = 'failed') AS failed_reads,
    count_if(r.host IS NOT NULL) AS listed_reads,
    sort_array(collect_set(r.kind)) AS failure_kinds,
    sort_array(collect_set(r.detail)) AS failure_details,
    max_by(r.missing, r.sweep_at) FILTER (WHERE r.read_at IS NOT NULL) AS missing_mbeans,
    max_by(r.process_start, r.sweep_at) FILTER (WHERE r.process_start IS NOT NULL) AS process_start,
    max_by(r.read_at, r.sweep_at) FILTER (WHERE r.process_start IS NOT NULL) AS started_read,
    max_by(r.clock_off_s, struct(r.clock_off_at_least_s, r.sweep_at)) FILTER (WHERE r.clock_off_s IS NOT NULL)
        AS clock_off_s,
    max(r.clock_off_at_least_s) AS clock_off_at_least_s,
    max_by(r.read_at, struct(r.clock_off_at_least_s, r.sweep_at)) FILTER (WHERE r.clock_off_s IS NOT NULL)
        AS clock_read,
    max(s.cleaner_enabled) AS cleaner_enabled,
    max(r.cleaner_dead_threads) AS cleaner_dead_threads,
    max_by(r.cleaner_idle_ms, r.sweep_at) FILTER (WHERE r.cleaner_idle_ms IS NOT NULL) AS cleaner_idle_ms,
    max(r.partition_count) AS replica_count,
    max(r.uncleanable_partitions) AS uncleanable_partitions,
    max(r.uncleanable_bytes) AS uncleanable_bytes,
    max(r.unclean_leader_elections) AS unclean_leader_elections
FROM reads AS r
LEFT JOIN settings AS s ON r.cluster = s.cluster AND r.broker = s.broker
GROUP BY r.cluster, r.broker
