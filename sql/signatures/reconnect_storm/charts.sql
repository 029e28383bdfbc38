-- Points of the day for the letter's chart: new connections per interval, on listeners that had a storm.
-- in:  connection_spans, storms
-- out: one row per point: cluster, title, unit, threshold, from_at, to_at, value
WITH shown AS (
    SELECT
        cluster,
        broker,
        listener,
        row_number() OVER (PARTITION BY cluster ORDER BY max(together) DESC, broker ASC, listener ASC) AS place
    FROM storms
    GROUP BY cluster, broker, listener
)

SELECT
    s.cluster,
    s.from_at,
    s.to_at,
    s.backlog AS threshold,
    s.created AS ratio,
    'connections' AS unit,
    concat('New connections per interval, broker ', s.broker, ', listener ', s.listener) AS title
FROM connection_spans AS s
INNER JOIN shown AS x
    ON s.cluster = x.cluster AND s.broker = x.broker AND s.listener = x.listener AND x.place <= 3
WHERE s.kind = 'sweeps' OR s.seconds <= :burst_s
ORDER BY s.cluster, title, s.to_at
