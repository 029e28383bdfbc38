-- Points of the day for the letter's chart, for brokers whose fetches expire beyond the legal share in any interval.
-- in:  fetch_spans, caused_windows
-- out: one row per point: cluster, title, unit, threshold, from_at, to_at, value
WITH shown AS (
    SELECT
        cluster,
        broker,
        max(cause) AS cause
    FROM caused_windows
    GROUP BY cluster, broker
    HAVING max(cause) IS NOT NULL
)

SELECT
    s.cluster,
    s.from_at,
    s.to_at,
    'ratio' AS unit,
    concat('Expired share of consumer fetches, broker ', s.broker) AS title,
    CASE x.cause WHEN 'min_bytes' THEN :min_bytes_ratio ELSE :min_ratio END AS threshold,
    round(try_divide(s.expired_consumer_fetches, s.consumer_fetches), 4) AS ratio
FROM fetch_spans AS s
INNER JOIN shown AS x ON s.cluster = x.cluster AND s.broker = x.broker
WHERE s.consumer_fetches > 0
ORDER BY s.cluster, title, s.to_at
