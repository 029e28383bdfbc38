-- Where a job may poll an idle topic now and then: a group has offsets of what the broker leads, got on with none of it
-- in the window, and no member of it was seen there, so that nothing of what it lets expire is known.
-- out: one row per cluster, broker and window with such a group
WITH held AS (
    SELECT
        cluster,
        leader AS broker,
        time_window,
        group_id
    FROM group_progress
    WHERE leader IS NOT NULL
    GROUP BY cluster, leader, time_window, group_id
    HAVING NOT max(got_on)
),

seen AS (
    SELECT
        m.cluster,
        m.broker,
        s.time_window,
        m.group_id
    FROM reader_sessions AS m
    INNER JOIN fetch_spans AS s
        ON m.cluster = s.cluster AND m.broker = s.broker AND m.to_sweep = s.to_sweep AND m.kind = s.kind
    WHERE m.led_partitions > 0
)

SELECT DISTINCT
    h.cluster,
    h.broker,
    h.time_window
FROM held AS h
LEFT ANTI JOIN seen AS m
    ON h.cluster = m.cluster AND h.broker = m.broker AND h.time_window = m.time_window AND h.group_id = m.group_id
