-- What a close look read of each topic from one reading to the next, beside the fetches that ended meanwhile.
-- in:  look_steps
-- out: one row per look (cluster, broker, sweep_at), topic and slot. bytes_out are the topic's, broker_bytes all that
--      went out; records may be read since the reading before. all_expired: every fetch that ended in this slot or the
--      next had expired; none_expired: none of them had
WITH broker_slots AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        slot,
        max(CASE WHEN metric = 'consumer_fetches' THEN step END) AS fetches,
        max(CASE WHEN metric = 'expired_consumer_fetches' THEN step END) AS expired,
        max(CASE WHEN metric = 'bytes_out' THEN step END) AS bytes_out
    FROM look_steps
    WHERE array_contains(:clusters, cluster) AND signature = 'fetch_latency' AND topic IS NULL
    GROUP BY cluster, broker, sweep_at, slot
),

-- an answer's bytes are counted before its expiry and its end, all within a moment: this slot or the next
joined AS (
    SELECT
        a.cluster,
        a.broker,
        a.sweep_at,
        a.slot,
        a.expired,
        a.bytes_out,
        a.fetches + b.fetches <= a.expired AND a.expired > 0 AS all_expired,
        a.expired + b.expired = 0 AS none_expired
    FROM broker_slots AS a
    INNER JOIN broker_slots AS b
        ON a.cluster = b.cluster AND a.broker = b.broker AND a.sweep_at = b.sweep_at AND try_add(a.slot, 1) = b.slot
    WHERE a.fetches + a.expired + a.bytes_out + b.fetches + b.expired + b.bytes_out IS NOT NULL
),

topic_slots AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        topic,
        slot,
        max(CASE WHEN metric = 'bytes_out' THEN step END) AS bytes_out,
        -- what every reader may read by now: a commit of a transaction moves it, records of one do not
        try_sum(CASE WHEN metric = 'last_stable_offset' THEN step END) AS records
    FROM look_steps
    WHERE array_contains(:clusters, cluster) AND signature = 'fetch_latency' AND topic IS NOT NULL
    GROUP BY cluster, broker, sweep_at, topic, slot
)

SELECT
    t.cluster,
    t.broker,
    t.sweep_at,
    t.topic,
    t.slot,
    t.bytes_out,
    t.records,
    s.expired,
    s.bytes_out AS broker_bytes,
    s.all_expired,
    s.none_expired
FROM topic_slots AS t
INNER JOIN joined AS s
    ON t.cluster = s.cluster AND t.broker = s.broker AND t.sweep_at = s.sweep_at AND t.slot = s.slot
WHERE t.bytes_out IS NOT NULL
