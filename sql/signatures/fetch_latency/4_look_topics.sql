-- What a close look shows of each topic that is read at a broker, and what the day's looks show together. A fetch that
-- expires at a healthy broker carries nothing: with a byte to send it would have ended before. So bytes that go out
-- while no fetch ends promptly prove delay. Periods of a slow reader and an idle one may fall together within a look,
-- not in look after look: closeness of bytes and expiries that know nothing of each other is 1 on average, so that its
-- product over the day exceeds 1 / p with a chance of p at most (Ville).
-- out: one row per look (cluster, broker, sweep_at) and topic of which bytes went out. shows: `delayed` is proven of a
--      topic that it only follows; `partly` where it leads a part: expired fetches carried more than a prompt answer
--      had, so no fetch.min.bytes of one reader holds it back; `waits`: bytes were held back, by whatever; `seems`: of
--      each record at least twice the bytes go out beside an expiry, which chance can do too; `prompt`: fewer; null: it
--      does not tell. beside: bytes of a topic that it only follows go out beside expiries, over the day by no chance;
--      no proof: one client may read an idle topic and a busy one by turns. settles: in the last look, where all that
--      tell show `prompt`. answered: over the day most bytes go out where no fetch expires
WITH slots AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        topic,
        try_cast(slot AS DOUBLE) AS slot,
        max(leaders) AS leaders,
        max(replicas) AS replicas,
        max(CASE WHEN metric = 'consumer_fetches' THEN step END) AS fetches,
        max(CASE WHEN metric = 'expired_consumer_fetches' THEN step END) AS expired,
        max(CASE WHEN metric = 'bytes_out' THEN step END) AS bytes_out,
        -- what every reader may read by now: a commit of a transaction moves it, records of one do not
        try_sum(CASE WHEN metric = 'last_stable_offset' THEN step END) AS records
    FROM look_steps
    WHERE signature = 'fetch_latency'
    GROUP BY cluster, broker, sweep_at, topic, slot
),

-- the broker's numbers are in rows without a topic. An answer's bytes are counted before its expiry and its end, all
-- within a moment: this slot or the next
readings AS (
    SELECT
        *,
        max(if(topic IS NULL, bytes_out, NULL)) OVER this AS broker_bytes,
        max(expired) OVER this AS late,
        try_sum(expired) OVER until_next > 0 AS waiting,
        -- every fetch that ended had expired, and yet bytes went out
        max(expired) OVER this > 0 AND try_sum(fetches) OVER until_next <= max(expired) OVER this AND bytes_out > 0
            AS carried,
        count(fetches + expired + bytes_out) OVER until_next = 2 AS known
    FROM slots
    WINDOW
        this AS (PARTITION BY cluster, broker, sweep_at ORDER BY slot RANGE BETWEEN CURRENT ROW AND CURRENT ROW),
        until_next AS (PARTITION BY cluster, broker, sweep_at ORDER BY slot RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING)
),

looked AS (
    SELECT
        r.cluster,
        r.broker,
        r.sweep_at,
        r.topic,
        max(r.leaders) AS leaders,
        max(r.replicas) AS replicas,
        try_sum(r.late) AS expired,
        count_if(r.carried) AS carried_slots,
        try_sum(if(r.carried, r.late, 0)) AS carried_expired,
        try_sum(if(r.carried, r.broker_bytes, 0)) AS carried_bytes,
        least(count_if(r.waiting AND r.records > 0), count_if(NOT r.waiting AND r.records > 0)) AS moves,
        try_sum(if(r.waiting, r.bytes_out, 0)) AS waiting_bytes,
        try_sum(if(r.waiting, 0, r.bytes_out)) AS free_bytes,
        count_if(NOT r.waiting AND r.bytes_out > 0) AS free_slots,
        try_sum(if(r.waiting, r.records, 0)) AS waiting_records,
        try_sum(if(r.waiting, 0, r.records)) AS free_records,
        -- 1 where records are sent at once: they have the expiries beside them that they had when they came
        try_divide(
            try_cast(try_sum(try_multiply(r.bytes_out, r.late)) AS DOUBLE) * try_sum(r.records),
            try_cast(try_sum(r.bytes_out) AS DOUBLE) * try_sum(try_multiply(r.records, r.late))
        ) AS closeness,
        -- the second smallest: a segment that is rolled ends one fetch early, too
        get(sort_array(collect_list(if(r.waiting OR r.bytes_out = 0, NULL, r.broker_bytes))), 1) AS prompt_bytes
    FROM readings AS r
    WHERE r.topic IS NOT NULL AND r.bytes_out IS NOT NULL AND r.known
    GROUP BY r.cluster, r.broker, r.sweep_at, r.topic
    HAVING max(r.bytes_out) > 0
),

shown AS (
    SELECT
        l.*,
        t.min_look_slots,
        -ln(t.max_look_chance) AS enough,
        CASE
            WHEN l.carried_slots >= t.min_look_slots
                THEN CASE
                    WHEN l.leaders = 0 AND l.replicas > 0 THEN 'delayed'
                    WHEN l.replicas > l.leaders AND l.carried_bytes >= 2D * l.carried_expired * l.prompt_bytes
                        THEN 'partly'
                    ELSE 'waits'
                END
            WHEN l.moves < t.min_free_slots THEN NULL
            WHEN
                l.replicas > l.leaders
                AND 1D * l.waiting_bytes * l.free_records >= 2D * l.free_bytes * l.waiting_records
                THEN 'seems'
            WHEN l.leaders = 0 THEN 'prompt'
        END AS shows,
        if(l.expired >= t.min_expired, ln(try_divide(greatest(l.closeness, 0.1), t.close_factor)), NULL) AS weight
    FROM looked AS l
    INNER JOIN fetch_latency_thresholds AS t ON l.cluster = t.cluster
)

SELECT
    *,
    closeness IS NOT NULL
    AND max(leaders) OVER of_day = 0
    AND min(replicas) OVER of_day > 0
    AND NOT coalesce(max(shows = 'prompt') OVER of_day, FALSE)
    AND try_sum(try_cast(weight AS DECIMAL(28, 9))) OVER of_day >= enough AS beside,
    sweep_at = max(sweep_at) OVER of_day AND min(shows = 'prompt') OVER of_day AS settles,
    sweep_at = max(sweep_at) OVER of_day
    AND NOT coalesce(max(shows IN ('delayed', 'partly', 'waits')) OVER of_day, FALSE)
    AND try_sum(free_slots) OVER of_day >= min_look_slots
    AND try_sum(free_bytes) OVER of_day > try_sum(waiting_bytes) OVER of_day AS answered
FROM shown
WINDOW of_day AS (PARTITION BY cluster, broker, topic)
