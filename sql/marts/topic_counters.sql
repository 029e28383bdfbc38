-- What a broker's per-topic counters did in each interval in which none ran back, and how many of the topic's
-- partitions it held meanwhile. Brokers do not count as failed what a client mends by asking for the leader, or brings
-- on itself by too large a record; NOT_ENOUGH_REPLICAS they do.
WITH ends AS (
    SELECT
        *,
        explode(array(from_sweep, to_sweep)) AS sweep_at
    FROM broker_counters
    WHERE NOT ran_back
),

reads AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        topic,
        TRUE AS is_metered,
        messages_in,
        bytes_in,
        bytes_out,
        produce_batches,
        fetch_reads,
        failed_produce,
        fetch_conversions,
        produce_conversions,
        remote_copy_errors,
        remote_copy_lag_bytes,
        0 AS leaders,
        0 AS replicas
    FROM raw_broker_topics
    UNION ALL
    SELECT
        cluster,
        broker,
        sweep_at,
        topic,
        FALSE AS is_metered,
        0 AS messages_in,
        0 AS bytes_in,
        0 AS bytes_out,
        0 AS produce_batches,
        0 AS fetch_reads,
        0 AS failed_produce,
        0 AS fetch_conversions,
        0 AS produce_conversions,
        0 AS remote_copy_errors,
        NULL AS remote_copy_lag_bytes,
        count_if(replicas_count > 0) AS leaders,
        count(*) AS replicas
    FROM raw_partitions
    GROUP BY cluster, broker, sweep_at, topic
),

-- a per-topic meter is made at its first event: absent at the start of the interval is 0
deltas AS (
    SELECT
        e.cluster,
        e.broker,
        r.topic,
        e.kind,
        e.from_sweep,
        e.to_sweep,
        e.from_at,
        e.to_at,
        e.seconds,
        coalesce(try_sum(if(r.sweep_at = e.to_sweep, r.messages_in, -r.messages_in)), 0) AS messages_in,
        coalesce(try_sum(if(r.sweep_at = e.to_sweep, r.bytes_in, -r.bytes_in)), 0) AS bytes_in,
        coalesce(try_sum(if(r.sweep_at = e.to_sweep, r.bytes_out, -r.bytes_out)), 0) AS bytes_out,
        coalesce(try_sum(if(r.sweep_at = e.to_sweep, r.produce_batches, -r.produce_batches)), 0) AS produce_batches,
        coalesce(try_sum(if(r.sweep_at = e.to_sweep, r.fetch_reads, -r.fetch_reads)), 0) AS fetch_reads,
        if(e.errors_known, try_sum(if(r.sweep_at = e.to_sweep, r.failed_produce, -r.failed_produce)), NULL)
            AS failed_batches,
        -- a read that lacks the broker's own meters, or the gauge beside the errors, may lack the topic's as well
        if(
            e.conversions_read,
            coalesce(try_sum(if(r.sweep_at = e.to_sweep, r.fetch_conversions, -r.fetch_conversions)), 0), NULL
        ) AS fetch_conversions,
        if(
            e.conversions_read,
            coalesce(try_sum(if(r.sweep_at = e.to_sweep, r.produce_conversions, -r.produce_conversions)), 0), NULL
        ) AS produce_conversions,
        if(
            count(r.remote_copy_lag_bytes) = 2,
            coalesce(try_sum(if(r.sweep_at = e.to_sweep, r.remote_copy_errors, -r.remote_copy_errors)), 0), NULL
        ) AS remote_copy_errors,
        max(if(r.sweep_at = e.to_sweep, r.remote_copy_lag_bytes, NULL)) AS remote_copy_lag_bytes,
        max(r.leaders) AS leaders,
        max(r.replicas) AS replicas
    FROM ends AS e
    INNER JOIN reads AS r ON e.cluster = r.cluster AND e.broker = r.broker AND e.sweep_at = r.sweep_at
    GROUP BY
        e.cluster, e.broker, r.topic, e.kind, e.from_sweep, e.to_sweep, e.from_at, e.to_at, e.seconds, e.errors_known,
        e.conversions_read
    HAVING max(r.is_metered AND r.sweep_at = e.to_sweep)
)

SELECT *
FROM deltas
WHERE messages_in >= 0 AND bytes_in >= 0 AND bytes_out >= 0 AND produce_batches >= 0 AND fetch_reads >= 0
