-- Share of expired fetches per interval, of brokers where it is beyond the legal one in any window.
-- in:  fetch_spans, caused_windows, fetch_latency_thresholds
-- out: one row per broker and interval with fetches
WITH shown AS (
    SELECT
        cluster,
        broker,
        max(cause) AS cause
    FROM caused_windows
    WHERE cause IS NOT NULL
    GROUP BY cluster, broker
)

SELECT
    s.cluster,
    s.from_at,
    s.to_at,
    'ratio' AS chart,
    s.broker AS object_name,
    if(x.cause = 'min_bytes', t.min_bytes_ratio, t.min_ratio) AS threshold,
    try_divide(s.expired_consumer_fetches, s.consumer_fetches) AS amount
FROM fetch_spans AS s
INNER JOIN shown AS x ON s.cluster = x.cluster AND s.broker = x.broker
INNER JOIN fetch_latency_thresholds AS t ON s.cluster = t.cluster
WHERE s.consumer_fetches > 0
