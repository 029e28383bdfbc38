-- Topics of which a broker sent consumers bytes, with what is known of their readers.
-- in:  topic_windows, topic_readers, config_days
-- out: one row per cluster, broker, topic and window. batches_per_s arrive in the topic at all brokers; groups got on
--      with it anywhere, null where none did; selected: the broker may send consumers to a follower and follows a part
WITH topic_rates AS (
    SELECT
        cluster,
        topic,
        time_window,
        try_cast(try_sum(try_cast(try_divide(batches, seconds) AS DECIMAL(28, 9))) AS DOUBLE) AS batches_per_s
    FROM topic_windows
    GROUP BY cluster, topic, time_window
)

SELECT
    x.cluster,
    x.broker,
    x.topic,
    x.time_window,
    x.seconds,
    x.batches,
    x.leaders,
    x.bytes_out,
    r.batches_per_s,
    g.groups,
    x.replicas > x.leaders AND c.broker IS NOT NULL AS selected
FROM topic_windows AS x
INNER JOIN topic_rates AS r ON x.cluster = r.cluster AND x.topic = r.topic AND x.time_window = r.time_window
LEFT JOIN topic_readers AS g ON x.cluster = g.cluster AND x.topic = g.topic AND x.time_window = g.time_window
LEFT JOIN config_days AS c
    ON
        x.cluster = c.cluster
        AND x.broker = c.broker
        AND c.name = 'replica.selector.class'
        AND c.config_value != ''
WHERE x.bytes_out > 0
