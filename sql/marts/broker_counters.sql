-- What a broker's counters did in each interval of one process, and what its gauges showed at the end of it. Rows that
-- ran_back give no rates.
WITH fetches AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(requests) AS consumer_fetches
    FROM raw_requests
    WHERE request = 'FetchConsumer'
    GROUP BY cluster, broker, sweep_at
),

-- an error's counter is made at its first event: it is 0 where the read that lacks it is whole, or has other codes
answers AS (
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at,
        count(e.error) > 0 AS has_codes,
        max(b.outcome = 'ok') AS is_whole,
        max(if(e.error = 'OFFSET_OUT_OF_RANGE', e.errors, if(e.request = 'Fetch', 0, NULL))) AS out_of_range,
        max(
            CASE
                WHEN e.request = 'Produce' AND e.error = 'OUT_OF_ORDER_SEQUENCE_NUMBER' THEN e.errors
                WHEN b.outcome = 'ok' THEN 0
            END
        ) AS out_of_order,
        max(
            CASE
                WHEN e.request = 'Produce' AND e.error = 'UNKNOWN_PRODUCER_ID' THEN e.errors
                WHEN b.outcome = 'ok' THEN 0
            END
        ) AS unknown_producer_ids
    FROM raw_brokers AS b
    LEFT JOIN raw_request_errors AS e
        ON
            b.cluster = e.cluster AND b.broker = e.broker AND b.sweep_at = e.sweep_at
            AND e.request IN ('Produce', 'Fetch')
    LEFT ANTI JOIN cluster_sweeps AS o ON b.cluster = o.cluster AND b.sweep_at = o.sweep_at AND o.overlapped
    WHERE b.read_at IS NOT NULL
    GROUP BY b.cluster, b.broker, b.sweep_at
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
        max(size_bytes) AS bytes
    FROM raw_partitions
    WHERE topic = '__consumer_offsets'
    GROUP BY cluster, broker, sweep_at
),

-- counts since the process' read before, at its first read since its start
deltas AS (
    SELECT
        m.cluster,
        m.broker,
        i.kind,
        i.from_sweep,
        m.sweep_at AS to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        m.release AS kafka_release,
        m.groups,
        m.group_offsets,
        m.offsets_load_ms_max,
        m.offsets_failed,
        m.offsets_loading,
        m.cleaner_dead_threads,
        m.cleaner_idle_ms,
        d.uncleanable_partitions,
        l.bytes AS offsets_log_bytes,
        p.p50_ms AS produce_p50_ms,
        p.p99_ms AS produce_p99_ms,
        lag(l.bytes) OVER process AS from_offsets_log_bytes,
        p.observations - lag(p.observations) OVER process AS timed_produces,
        -- count and mean are since the start of the process, so their product is the time spent up to each read
        try_divide(
            greatest(0D, p.observations * p.mean_ms - lag(p.observations * p.mean_ms) OVER process),
            greatest(0, p.observations - lag(p.observations) OVER process)
        ) AS produce_mean_ms,
        try_subtract(
            coalesce(f.consumer_fetches, 0), lag(coalesce(f.consumer_fetches, 0), 1, 0) OVER process
        ) AS consumer_fetches,
        m.expired_consumer_fetches - lag(m.expired_consumer_fetches, 1, 0) OVER process AS expired_consumer_fetches,
        m.isr_expands - lag(m.isr_expands, 1, 0) OVER process AS isr_expands,
        coalesce(m.fetch_conversions, m.produce_conversions) IS NOT NULL
        AND lag(coalesce(m.fetch_conversions, m.produce_conversions), 1, 0) OVER process IS NOT NULL
            AS conversions_read,
        m.messages_in - lag(m.messages_in, 1, 0) OVER process AS messages_in,
        m.bytes_in - lag(m.bytes_in, 1, 0) OVER process AS bytes_in,
        m.bytes_out - lag(m.bytes_out, 1, 0) OVER process AS bytes_out,
        m.unclean_leader_elections - lag(m.unclean_leader_elections, 1, 0) OVER process AS unclean_elections,
        m.invalid_offset_or_sequence - lag(m.invalid_offset_or_sequence, 1, 0) OVER process AS invalid_records,
        a.out_of_range - lag(a.out_of_range, 1, 0) OVER process AS out_of_range,
        a.out_of_order - lag(a.out_of_order, 1, 0) OVER process AS out_of_order,
        a.unknown_producer_ids - lag(a.unknown_producer_ids, 1, 0) OVER process AS unknown_producer_ids,
        try_cast(m.offset_commits - lag(m.offset_commits, 1, 0) OVER process AS BIGINT) AS offset_commits,
        try_cast(m.offset_expirations - lag(m.offset_expirations, 1, 0) OVER process AS BIGINT) AS offset_expirations,
        try_cast(m.offset_deletions - lag(m.offset_deletions, 1, 0) OVER process AS BIGINT) AS offset_deletions,
        try_cast(
            m.completed_rebalances - lag(m.completed_rebalances, 1, 0) OVER process AS BIGINT
        ) AS completed_rebalances,
        -- brokers before 1.0 do not count errors by code
        min(a.has_codes OR coalesce(a.is_whole AND m.release NOT LIKE '0.%', FALSE)) OVER (
            PARTITION BY m.cluster, m.broker, coalesce(m.jvm_start_ms, m.app_start_ms)
            ORDER BY m.sweep_at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW
        ) AS errors_known
    FROM raw_broker_metrics AS m
    INNER JOIN answers AS a ON m.cluster = a.cluster AND m.broker = a.broker AND m.sweep_at = a.sweep_at
    LEFT JOIN broker_intervals AS i
        ON m.cluster = i.cluster AND m.broker = i.broker AND m.sweep_at = i.to_sweep AND i.same_process
    LEFT JOIN fetches AS f ON m.cluster = f.cluster AND m.broker = f.broker AND m.sweep_at = f.sweep_at
    LEFT JOIN dirs AS d ON m.cluster = d.cluster AND m.broker = d.broker AND m.sweep_at = d.sweep_at
    LEFT JOIN offsets_logs AS l ON m.cluster = l.cluster AND m.broker = l.broker AND m.sweep_at = l.sweep_at
    LEFT JOIN raw_request_times AS p
        ON
            m.cluster = p.cluster AND m.broker = p.broker AND m.sweep_at = p.sweep_at
            AND p.request = 'Produce' AND p.phase = 'TotalTimeMs' AND p.mean_ms IS NOT NULL
    WINDOW process AS (PARTITION BY m.cluster, m.broker, coalesce(m.jvm_start_ms, m.app_start_ms) ORDER BY m.sweep_at)
)

SELECT
    *,
    coalesce(
        least(consumer_fetches, expired_consumer_fetches, isr_expands, messages_in, bytes_in, bytes_out) < 0, FALSE
    ) AS ran_back
FROM deltas
WHERE seconds > 0
