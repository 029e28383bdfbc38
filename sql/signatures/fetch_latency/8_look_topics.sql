-- What a close look shows of each topic that is read at a broker. A fetch that expires at a healthy broker carries
-- nothing: with a byte to send it would have ended before. So bytes that go out while none ends promptly prove delay,
-- whoever else waits there idly.
-- in:  look_steps, led_topics
-- out: one row per look (cluster, broker, sweep_at) and topic of which bytes went out. shows: `delayed` is proven of a
--      topic that it only follows; `partly` where it leads a part: what expired fetches carried is more than a prompt
--      answer had, so no fetch.min.bytes of the same reader holds them back; `waits`: bytes were held back, by
--      whatever; `seems`: of each record that may be read at least twice the bytes go out beside an expiry, which
--      chance can do too; `prompt`: fewer than that; null: it does not tell
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
),

looked AS (
    SELECT
        t.cluster,
        t.broker,
        t.sweep_at,
        t.topic,
        max(coalesce(d.leaders, 0)) AS leaders,
        max(coalesce(d.replicas, 0)) AS replicas,
        count(*) AS slots,
        try_sum(s.expired) AS expired,
        -- every fetch that ended had expired, and yet bytes went out
        count_if(s.all_expired AND t.bytes_out > 0) AS carried_slots,
        try_sum(CASE WHEN s.all_expired AND t.bytes_out > 0 THEN s.expired ELSE 0 END) AS carried_expired,
        try_sum(CASE WHEN s.all_expired AND t.bytes_out > 0 THEN s.bytes_out ELSE 0 END) AS carried_bytes,
        -- beside an expiry, and without one
        count_if(NOT s.none_expired) AS waiting_slots,
        count_if(s.none_expired) AS free_slots,
        try_sum(CASE WHEN NOT s.none_expired THEN t.bytes_out ELSE 0 END) AS waiting_bytes,
        try_sum(CASE WHEN s.none_expired THEN t.bytes_out ELSE 0 END) AS free_bytes,
        try_sum(CASE WHEN NOT s.none_expired THEN t.records ELSE 0 END) AS waiting_records,
        try_sum(CASE WHEN s.none_expired THEN t.records ELSE 0 END) AS free_records,
        count_if(NOT s.none_expired AND t.records > 0) AS waiting_moves,
        count_if(s.none_expired AND t.records > 0) AS free_moves,
        -- the second smallest: a segment that is rolled ends one fetch early, too
        get(
            sort_array(collect_list(CASE WHEN s.none_expired AND t.bytes_out > 0 THEN s.bytes_out END)), 1
        ) AS prompt_bytes
    FROM topic_slots AS t
    INNER JOIN joined AS s
        ON t.cluster = s.cluster AND t.broker = s.broker AND t.sweep_at = s.sweep_at AND t.slot = s.slot
    LEFT JOIN led_topics AS d
        ON t.cluster = d.cluster AND t.broker = d.broker AND t.sweep_at = d.sweep_at AND t.topic = d.topic
    WHERE t.bytes_out IS NOT NULL
    GROUP BY t.cluster, t.broker, t.sweep_at, t.topic
    HAVING count_if(t.bytes_out > 0) > 0
)

SELECT
    *,
    CASE
        WHEN replicas > 0 AND leaders = 0 AND carried_slots >= :min_look_slots THEN 'delayed'
        WHEN
            replicas > leaders
            AND leaders > 0
            AND carried_slots >= :min_look_slots
            AND carried_bytes >= 2 * carried_expired * prompt_bytes
            THEN 'partly'
        WHEN carried_slots >= :min_look_slots THEN 'waits'
        WHEN free_moves < :min_free_slots OR waiting_moves < :min_free_slots THEN NULL
        WHEN replicas > leaders AND waiting_bytes * free_records >= 2 * free_bytes * waiting_records
            THEN 'seems'
        WHEN leaders = 0 THEN 'prompt'
    END AS shows
FROM looked
