-- What a broker's counters did in each interval of one process.
-- in:  intervals, raw_broker_metrics, raw_requests (protocol versions summed)
-- out: one row per broker and interval; counts, null where one of the two reads lacked the counter. Rows that
--      ran_back are for `dropped` alone.
WITH requests AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(CASE WHEN request = 'FetchConsumer' THEN requests END) AS consumer_fetches,
        try_sum(CASE WHEN request = 'FetchFollower' THEN requests END) AS follower_fetches,
        try_sum(CASE WHEN request = 'Produce' THEN requests END) AS produce_requests
    FROM raw_requests
    GROUP BY cluster, broker, sweep_at
),

reads AS (
    SELECT
        m.cluster,
        m.broker,
        m.sweep_at,
        m.expired_consumer_fetches,
        m.expired_follower_fetches,
        m.isr_expands,
        m.isr_shrinks,
        m.messages_in,
        m.bytes_in,
        m.bytes_out,
        coalesce(r.consumer_fetches, 0) AS consumer_fetches,
        coalesce(r.follower_fetches, 0) AS follower_fetches,
        coalesce(r.produce_requests, 0) AS produce_requests
    FROM raw_broker_metrics AS m
    LEFT JOIN requests AS r ON m.cluster = r.cluster AND m.broker = r.broker AND m.sweep_at = r.sweep_at
),

deltas AS (
    SELECT
        i.cluster,
        i.broker,
        i.kind,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        try_subtract(
            t.consumer_fetches, CASE WHEN i.kind = 'start' THEN 0 ELSE f.consumer_fetches END
        ) AS consumer_fetches,
        t.expired_consumer_fetches
        - CASE WHEN i.kind = 'start' THEN 0 ELSE f.expired_consumer_fetches END AS expired_consumer_fetches,
        try_subtract(
            t.follower_fetches, CASE WHEN i.kind = 'start' THEN 0 ELSE f.follower_fetches END
        ) AS follower_fetches,
        t.expired_follower_fetches
        - CASE WHEN i.kind = 'start' THEN 0 ELSE f.expired_follower_fetches END AS expired_follower_fetches,
        try_subtract(
            t.produce_requests, CASE WHEN i.kind = 'start' THEN 0 ELSE f.produce_requests END
        ) AS produce_requests,
        t.isr_expands - CASE WHEN i.kind = 'start' THEN 0 ELSE f.isr_expands END AS isr_expands,
        t.isr_shrinks - CASE WHEN i.kind = 'start' THEN 0 ELSE f.isr_shrinks END AS isr_shrinks,
        t.messages_in - CASE WHEN i.kind = 'start' THEN 0 ELSE f.messages_in END AS messages_in,
        t.bytes_in - CASE WHEN i.kind = 'start' THEN 0 ELSE f.bytes_in END AS bytes_in,
        t.bytes_out - CASE WHEN i.kind = 'start' THEN 0 ELSE f.bytes_out END AS bytes_out
    FROM intervals AS i
    INNER JOIN reads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
    LEFT JOIN reads AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
    WHERE i.same_process AND i.seconds > 0
)

SELECT
    *,
    coalesce(least(
        consumer_fetches, expired_consumer_fetches, follower_fetches, expired_follower_fetches, produce_requests,
        isr_expands, isr_shrinks, messages_in, bytes_in, bytes_out
    ) < 0, FALSE) AS ran_back
FROM deltas
