-- How many batches consumers waited for at a broker and got. Each of them ends a fetch that waits, unless the fetch is
-- delayed, so a broker that shows about so many prompt answers delays nobody, whoever else waits there.
-- out: one row per cluster, broker and window: batches in the bytes that went out, without those of topics of which a
--      group got on by more than came in: it reads what was there before, in large fetches and without a wait.
--      is_whole: there are no such topics
WITH topics AS (
    SELECT
        cluster,
        topic,
        time_window,
        try_sum(messages_in) AS messages_in,
        try_divide(1D * try_sum(batches), try_sum(bytes_in)) AS batches_per_byte
    FROM topic_windows
    GROUP BY cluster, topic, time_window
    HAVING try_sum(bytes_out) > 0
),

progress AS (
    SELECT
        cluster,
        topic,
        time_window,
        group_id,
        try_sum(records) AS records
    FROM group_progress
    GROUP BY cluster, topic, time_window, group_id
),

paced AS (
    SELECT
        x.cluster,
        x.topic,
        x.time_window,
        max(x.batches_per_byte) AS batches_per_byte,
        coalesce(max(p.records) <= max(t.excess_factor * x.messages_in), TRUE) AS kept_up
    FROM topics AS x
    INNER JOIN fetch_latency_thresholds AS t ON x.cluster = t.cluster
    LEFT JOIN progress AS p ON x.cluster = p.cluster AND x.topic = p.topic AND x.time_window = p.time_window
    GROUP BY x.cluster, x.topic, x.time_window
)

SELECT
    x.cluster,
    x.broker,
    x.time_window,
    try_cast(
        try_sum(if(p.kept_up, try_cast(x.bytes_out * p.batches_per_byte AS DECIMAL(28, 9)), 0)) AS DOUBLE
    ) AS batches,
    min(p.kept_up) AS is_whole
FROM topic_windows AS x
INNER JOIN paced AS p ON x.cluster = p.cluster AND x.topic = p.topic AND x.time_window = p.time_window
WHERE x.bytes_out > 0
GROUP BY x.cluster, x.broker, x.time_window
