-- Cleaner threads that died in the process that is running, by its log: a restart starts them again.
-- out: one row per broker with such lines
WITH processes AS (
    SELECT
        cluster,
        broker,
        max(process_start) AS process_start
    FROM broker_starts
    GROUP BY cluster, broker
)

SELECT
    m.cluster,
    m.broker,
    try_sum(m.line_count) AS died_lines,
    min(m.first_at) AS died_from,
    max(m.last_at) AS died_to
FROM log_marks AS m
LEFT JOIN processes AS s ON m.cluster = s.cluster AND m.broker = s.broker
WHERE m.mark = 'cleaner_died' AND (s.process_start IS NULL OR m.last_at >= s.process_start)
GROUP BY m.cluster, m.broker
