-- What each broker showed of committed offsets, of its log cleaner and of elections in each interval of one process.
-- in:  intervals, raw_broker_metrics, raw_request_errors, raw_log_dirs, raw_partitions (__consumer_offsets)
-- out: one row per broker and interval: differences of counters (null where one of the two reads lacks it), and gauges
--      of its end
WITH errors AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        -- made at its first event: absent beside other codes is 0
        coalesce(max(CASE WHEN error = 'OFFSET_OUT_OF_RANGE' THEN errors END), 0) AS out_of_range
    FROM raw_request_errors
    WHERE request = 'Fetch'
    GROUP BY cluster, broker, sweep_at
),

dirs AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(uncleanable_partitions) AS uncleanable_partitions
    FROM raw_log_dirs
    GROUP BY cluster, broker, sweep_at
),

offsets_logs AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        max(size_bytes) AS offsets_log_bytes
    FROM raw_partitions
    WHERE topic = '__consumer_offsets'
    GROUP BY cluster, broker, sweep_at
),

reads AS (
    SELECT
        m.cluster,
        m.broker,
        m.sweep_at,
        m.release AS kafka_release,
        m.unclean_leader_elections,
        m.groups,
        m.group_offsets,
        m.offsets_load_ms_max,
        m.cleaner_dead_threads,
        m.cleaner_idle_ms,
        m.cleaner_max_dirty_percent,
        e.out_of_range,
        d.uncleanable_partitions,
        o.offsets_log_bytes,
        try_cast(m.offset_commits AS BIGINT) AS offset_commits,
        try_cast(m.offset_expirations AS BIGINT) AS offset_expirations,
        try_cast(m.offset_deletions AS BIGINT) AS offset_deletions
    FROM raw_broker_metrics AS m
    LEFT JOIN errors AS e ON m.cluster = e.cluster AND m.broker = e.broker AND m.sweep_at = e.sweep_at
    LEFT JOIN dirs AS d ON m.cluster = d.cluster AND m.broker = d.broker AND m.sweep_at = d.sweep_at
    LEFT JOIN offsets_logs AS o ON m.cluster = o.cluster AND m.broker = o.broker AND m.sweep_at = o.sweep_at
)

SELECT
    i.cluster,
    i.broker,
    i.kind,
    i.from_sweep,
    i.to_sweep,
    i.from_at,
    i.to_at,
    i.seconds,
    t.kafka_release,
    t.groups,
    t.group_offsets,
    t.offsets_load_ms_max,
    t.cleaner_dead_threads,
    t.cleaner_idle_ms,
    t.cleaner_max_dirty_percent,
    t.uncleanable_partitions,
    f.offsets_log_bytes AS from_offsets_log_bytes,
    t.offsets_log_bytes,
    try_subtract(t.offset_commits, CASE WHEN i.kind = 'start' THEN 0 ELSE f.offset_commits END) AS offset_commits,
    try_subtract(
        t.offset_expirations, CASE WHEN i.kind = 'start' THEN 0 ELSE f.offset_expirations END
    ) AS offset_expirations,
    try_subtract(t.offset_deletions, CASE WHEN i.kind = 'start' THEN 0 ELSE f.offset_deletions END) AS offset_deletions,
    t.unclean_leader_elections
    - CASE WHEN i.kind = 'start' THEN 0 ELSE f.unclean_leader_elections END AS unclean_elections,
    t.out_of_range - CASE WHEN i.kind = 'start' THEN 0 ELSE f.out_of_range END AS out_of_range
FROM intervals AS i
INNER JOIN reads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
LEFT JOIN reads AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
WHERE i.same_process AND i.seconds > 0
