-- What the plot of fetch times cannot show.
-- out: one row per broker without points, and why
SELECT
    b.cluster,
    b.broker,
    -- the first sweep shows only what was before it, so a fetch is seen from the second one on
    CASE count(r.broker) WHEN 0 THEN 'unread' WHEN 1 THEN 'read_once' ELSE 'not_fetched_from' END AS missing
FROM broker_days AS b
LEFT JOIN consumer_fetch_times AS r ON b.cluster = r.cluster AND b.broker = r.broker AND r.phase = 'RemoteTimeMs'
WHERE b.is_broker
GROUP BY b.cluster, b.broker
HAVING NOT coalesce(max(r.observations) > min(r.observations), FALSE)
