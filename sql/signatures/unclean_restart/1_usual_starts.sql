-- What a start-up usually takes in the cluster: the median over all other processes that were read on the day.
-- in:  broker_starts
-- out: one row per broker process
SELECT
    s.cluster,
    s.broker,
    s.process_start,
    s.start_seconds,
    s.remaining_logs,
    s.began_today,
    s.first_read,
    count(o.start_seconds) AS other_processes,
    percentile(o.start_seconds, 0.5) AS usual_seconds
FROM broker_starts AS s
LEFT JOIN broker_starts AS o
    ON s.cluster = o.cluster AND (s.broker != o.broker OR s.process_start != o.process_start)
WHERE array_contains(:clusters, s.cluster)
GROUP BY
    s.cluster, s.broker, s.process_start, s.start_seconds, s.remaining_logs, s.began_today, s.first_read
