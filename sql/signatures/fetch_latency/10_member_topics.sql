-- What each group member may read at a broker: topics of which partitions are assigned to it that the broker holds.
-- in:  reader_sessions, fetch_spans
-- out: one row per cluster, broker, window, member and topic; topics are those that it may read here, this one included
WITH held AS (
    SELECT
        m.cluster,
        m.broker,
        m.topic,
        m.group_id,
        m.member_id,
        s.time_window,
        max(m.led_partitions) AS led_partitions
    FROM reader_sessions AS m
    INNER JOIN fetch_spans AS s
        ON m.cluster = s.cluster AND m.broker = s.broker AND m.to_sweep = s.to_sweep AND m.kind = s.kind
    GROUP BY m.cluster, m.broker, m.topic, m.group_id, m.member_id, s.time_window
)

SELECT
    *,
    count(*) OVER (PARTITION BY cluster, broker, time_window, group_id, member_id) AS topics
FROM held
