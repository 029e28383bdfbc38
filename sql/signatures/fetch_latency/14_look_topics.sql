-- What a close look shows of each topic that is read at a broker. A fetch that expires at a healthy broker carries
-- nothing: with a byte to send it would have ended before. So bytes that go out while no fetch ends promptly prove
-- delay, whoever else waits there idly.
-- in:  look_slots, led_topics
-- out: one row per look (cluster, broker, sweep_at) and topic of which bytes went out. shows: `delayed` is proven of a
--      topic that it only follows; `partly` where it leads a part: what expired fetches carried is more than a prompt
--      answer had, so no fetch.min.bytes of the same reader holds them back; `waits`: bytes were held back, by
--      whatever; `seems`: of each record that may be read at least twice the bytes go out beside an expiry, which
--      chance can do too; `prompt`: fewer than that; null: it does not tell. closeness: expiries beside a byte that
--      went out, on average, by those beside a record that came
WITH looked AS (
    SELECT
        t.cluster,
        t.broker,
        t.sweep_at,
        t.topic,
        max(coalesce(d.leaders, 0)) AS leaders,
        max(coalesce(d.replicas, 0)) AS replicas,
        count(*) AS slots,
        try_sum(t.expired) AS expired,
        -- every fetch that ended had expired, and yet bytes went out
        count_if(t.all_expired AND t.bytes_out > 0) AS carried_slots,
        try_sum(CASE WHEN t.all_expired AND t.bytes_out > 0 THEN t.expired ELSE 0 END) AS carried_expired,
        try_sum(CASE WHEN t.all_expired AND t.bytes_out > 0 THEN t.broker_bytes ELSE 0 END) AS carried_bytes,
        -- beside an expiry, and without one
        count_if(NOT t.none_expired) AS waiting_slots,
        count_if(t.none_expired) AS free_slots,
        try_sum(CASE WHEN NOT t.none_expired THEN t.bytes_out ELSE 0 END) AS waiting_bytes,
        try_sum(CASE WHEN t.none_expired THEN t.bytes_out ELSE 0 END) AS free_bytes,
        try_sum(CASE WHEN NOT t.none_expired THEN t.records ELSE 0 END) AS waiting_records,
        try_sum(CASE WHEN t.none_expired THEN t.records ELSE 0 END) AS free_records,
        count_if(NOT t.none_expired AND t.records > 0) AS waiting_moves,
        count_if(t.none_expired AND t.records > 0) AS free_moves,
        -- each as often as there are expiries in its slot
        try_sum(t.bytes_out) AS topic_bytes,
        try_sum(t.records) AS records,
        try_sum(try_multiply(t.bytes_out, t.expired)) AS close_bytes,
        try_sum(try_multiply(t.records, t.expired)) AS close_records,
        -- the second smallest: a segment that is rolled ends one fetch early, too
        get(
            sort_array(collect_list(CASE WHEN t.none_expired AND t.bytes_out > 0 THEN t.broker_bytes END)), 1
        ) AS prompt_bytes
    FROM look_slots AS t
    LEFT JOIN led_topics AS d
        ON t.cluster = d.cluster AND t.broker = d.broker AND t.sweep_at = d.sweep_at AND t.topic = d.topic
    GROUP BY t.cluster, t.broker, t.sweep_at, t.topic
    HAVING count_if(t.bytes_out > 0) > 0
)

SELECT
    *,
    -- 1 where records are sent at once: they have the expiries beside them that they had when they came
    try_divide(
        try_cast(close_bytes AS DOUBLE) * records, try_cast(topic_bytes AS DOUBLE) * close_records
    ) AS closeness,
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
