-- New connections per interval of the three listeners with the worst storms.
-- out: one row per listener and interval; threshold: the backlog in force
WITH shown AS (
    SELECT
        cluster,
        broker,
        listener,
        row_number() OVER (PARTITION BY cluster ORDER BY min(ordinal)) AS place
    FROM reconnect_storm_detections
    GROUP BY cluster, broker, listener
)

SELECT
    s.cluster,
    s.from_at,
    s.to_at,
    'created' AS chart,
    s.broker AS object_name,
    s.listener AS object_detail,
    s.backlog AS threshold,
    s.created AS amount
FROM connection_spans AS s
INNER JOIN shown AS x ON s.cluster = x.cluster AND s.broker = x.broker AND s.listener = x.listener AND x.place <= 3
INNER JOIN reconnect_storm_thresholds AS t ON s.cluster = t.cluster
WHERE s.kind = 'sweeps' OR s.seconds <= t.burst_s
