-- Bytes sent to consumers that a broker's own leaders do not explain: somebody reads from a follower there.
-- in:  topic_windows, topic_readers, bypassed_leaders
-- out: one row per cluster, broker, topic and window
WITH bypassed_topics AS (
    SELECT
        cluster,
        topic,
        time_window,
        min(broker) AS first_leader,
        max(broker) AS last_leader
    FROM bypassed_leaders
    GROUP BY cluster, topic, time_window
)

SELECT
    x.cluster,
    x.broker,
    x.topic,
    x.time_window,
    x.bytes_out,
    coalesce(r.groups, array()) AS groups
FROM topic_windows AS x
LEFT JOIN topic_readers AS r ON x.cluster = r.cluster AND x.topic = r.topic AND x.time_window = r.time_window
LEFT JOIN bypassed_topics AS y ON x.cluster = y.cluster AND x.topic = y.topic AND x.time_window = y.time_window
WHERE
    x.bytes_out > 0
    AND (
        -- leading at neither end of an interval is not enough: while its preferred leader restarts, a broker that took
        -- records in led it meanwhile
        (x.leaders = 0 AND x.messages_in = 0)
        -- another leader is passed by, not this one
        OR (
            (y.first_leader != x.broker OR y.last_leader != x.broker)
            AND x.bytes_out > :excess_factor * greatest(1, size(r.groups)) * x.bytes_in
        )
    )
