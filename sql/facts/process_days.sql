-- What each broker's process showed of itself over the day: its start, its clock, its log cleaner, unclean elections.
-- in:  raw_brokers, raw_broker_metrics, raw_log_dirs, raw_broker_configs
-- out: one row per broker that any sweep of the day names; null where no read of the day gave the value. Its clock is
--      that of the read where it was off by the most for sure: agents tell whole seconds, at any time of their answer.
WITH dirs AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(uncleanable_partitions) AS uncleanable_partitions,
        try_sum(uncleanable_bytes) AS uncleanable_bytes
    FROM raw_log_dirs
    WHERE to_date(sweep_at) = :ds
    GROUP BY cluster, broker, sweep_at
),

cleaners AS (
    SELECT
        cluster,
        broker,
        max_by(value, sweep_at) AS cleaner_enabled
    FROM raw_broker_configs
    WHERE name = 'log.cleaner.enable' AND NOT redacted AND to_date(sweep_at) = :ds
    GROUP BY cluster, broker
),

reads AS (
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at,
        b.read_at,
        b.is_broker,
        m.release,
        m.cleaner_dead_threads,
        m.cleaner_idle_ms,
        m.unclean_leader_elections,
        d.uncleanable_partitions,
        d.uncleanable_bytes,
        CASE WHEN b.read_at IS NOT NULL THEN b.agent_clock_skew_s END AS clock_off_s,
        CASE
            WHEN b.read_at IS NOT NULL THEN greatest(0D, abs(b.agent_clock_skew_s) - 1 - coalesce(b.seconds, 0D))
        END AS clock_off_at_least_s,
        -- the broker's own clock says when its process began; where it is off, by the collector's that was another time
        timestamp_millis(
            try_subtract(
                coalesce(m.jvm_start_ms, m.app_start_ms),
                CASE
                    WHEN abs(b.agent_clock_skew_s) - 1 > coalesce(b.seconds, 0D)
                        THEN try_cast(1000 * round(b.agent_clock_skew_s) AS BIGINT)
                    ELSE 0
                END
            )
        ) AS process_start
    FROM raw_brokers AS b
    LEFT JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    LEFT JOIN dirs AS d ON b.cluster = d.cluster AND b.broker = d.broker AND b.sweep_at = d.sweep_at
    WHERE to_date(b.sweep_at) = :ds
)

SELECT
    r.cluster,
    r.broker,
    max_by(r.is_broker, r.sweep_at) AS is_broker,
    min(r.read_at) AS first_read,
    max(r.read_at) AS last_read,
    max_by(r.release, r.sweep_at) FILTER (WHERE r.release IS NOT NULL) AS kafka_release,
    max_by(r.process_start, r.sweep_at) FILTER (WHERE r.process_start IS NOT NULL) AS process_start,
    max_by(r.read_at, r.sweep_at) FILTER (WHERE r.process_start IS NOT NULL) AS started_read,
    max_by(r.clock_off_s, struct(r.clock_off_at_least_s, r.sweep_at))
    FILTER (WHERE r.clock_off_s IS NOT NULL) AS clock_off_s,
    max(r.clock_off_at_least_s) AS clock_off_at_least_s,
    max_by(r.read_at, struct(r.clock_off_at_least_s, r.sweep_at))
    FILTER (WHERE r.clock_off_s IS NOT NULL) AS clock_read,
    max(c.cleaner_enabled) AS cleaner_enabled,
    max(r.cleaner_dead_threads) AS cleaner_dead_threads,
    max_by(r.cleaner_idle_ms, r.sweep_at) FILTER (WHERE r.cleaner_idle_ms IS NOT NULL) AS cleaner_idle_ms,
    max(r.uncleanable_partitions) AS uncleanable_partitions,
    max(r.uncleanable_bytes) AS uncleanable_bytes,
    max(r.unclean_leader_elections) AS unclean_leader_elections
FROM reads AS r
LEFT JOIN cleaners AS c ON r.cluster = c.cluster AND r.broker = c.broker
GROUP BY r.cluster, r.broker
