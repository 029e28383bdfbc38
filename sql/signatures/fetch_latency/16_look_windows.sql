-- Windows that end at a close look which shows fetches that wait although records have arrived.
-- in:  look_topics, look_days, fetch_spans, topic_windows, topic_readers, read_windows
-- out: one row per cluster, broker and window; topics, groups and bytes are those that the look is about, expired is
--      what it saw at least. proven: no healthy workload makes these readings
WITH passes AS (
    -- one pass of readers over a topic: what it sends is what came in, so its readers are those of one group
    SELECT
        cluster,
        topic,
        time_window
    FROM topic_windows
    GROUP BY cluster, topic, time_window
    HAVING try_sum(bytes_out) <= :excess_factor * try_sum(bytes_in)
)

SELECT
    k.cluster,
    k.broker,
    s.time_window,
    sort_array(collect_set(k.topic)) AS look_topics,
    sort_array(array_distinct(flatten(collect_list(coalesce(g.groups, array()))))) AS look_groups,
    max(x.bytes_out) AS look_bytes,
    max(CASE WHEN k.carried_expired > 0 THEN k.carried_expired ELSE k.expired END) AS expired,
    max(k.carried_bytes) AS carried_bytes,
    max(
        (k.leaders = 0 AND k.shows = 'delayed')
        OR (k.shows = 'partly' AND w.selected_topics IS NOT NULL AND p.topic IS NOT NULL)
    ) AS proven
FROM look_topics AS k
INNER JOIN fetch_spans AS s ON k.cluster = s.cluster AND k.broker = s.broker AND k.sweep_at = s.to_sweep
INNER JOIN look_days AS o ON k.cluster = o.cluster AND k.broker = o.broker AND k.topic = o.topic
LEFT JOIN topic_windows AS x
    ON k.cluster = x.cluster AND k.broker = x.broker AND k.topic = x.topic AND s.time_window = x.time_window
LEFT JOIN topic_readers AS g ON k.cluster = g.cluster AND k.topic = g.topic AND s.time_window = g.time_window
LEFT JOIN read_windows AS w ON k.cluster = w.cluster AND k.broker = w.broker AND s.time_window = w.time_window
LEFT JOIN passes AS p ON k.cluster = p.cluster AND k.topic = p.topic AND s.time_window = p.time_window
WHERE k.shows IN ('delayed', 'partly', 'waits') OR (k.closeness IS NOT NULL AND o.beside)
GROUP BY k.cluster, k.broker, s.time_window
