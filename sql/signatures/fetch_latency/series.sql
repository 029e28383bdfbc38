-- Share of expired fetches per interval, of brokers where it is beyond the legal one in any window.
-- out: one row per broker and interval with fetches
SELECT
    s.cluster,
    s.from_at,
    s.to_at,
    'ratio' AS chart,
    s.broker AS object_name,
    if(c.broker_cause = 'min_bytes', t.min_bytes_ratio, t.min_ratio) AS threshold,
    try_divide(s.expired_consumer_fetches, s.consumer_fetches) AS amount
FROM fetch_spans AS s
INNER JOIN fetch_latency_thresholds AS t ON s.cluster = t.cluster
INNER JOIN caused_windows AS c ON s.cluster = c.cluster AND s.broker = c.broker AND s.time_window = c.time_window
WHERE c.broker_cause IS NOT NULL AND s.consumer_fetches > 0
