-- What each number of a close look did from one reading to the next.
WITH held AS (
    SELECT
        p.cluster,
        p.broker,
        p.sweep_at,
        p.topic,
        count_if(p.replicas_count > 0) AS leaders,
        count(*) AS replicas
    FROM raw_partitions AS p
    LEFT SEMI JOIN raw_looks AS l ON p.cluster = l.cluster AND p.broker = l.broker AND p.sweep_at = l.sweep_at
    GROUP BY p.cluster, p.broker, p.sweep_at, p.topic
)

SELECT
    r.cluster,
    r.broker,
    r.signature,
    r.sweep_at,
    r.metric,
    r.topic,
    r.partition,
    r.slot,
    coalesce(h.leaders, 0) AS leaders,
    coalesce(h.replicas, 0) AS replicas,
    CASE WHEN r.value >= lag(r.value) OVER earlier THEN try_subtract(r.value, lag(r.value) OVER earlier) END AS step
FROM raw_look_reads AS r
INNER JOIN raw_looks AS l
    ON r.cluster = l.cluster AND r.sweep_at = l.sweep_at AND r.broker = l.broker AND r.signature = l.signature
LEFT JOIN held AS h
    ON r.cluster = h.cluster AND r.broker = h.broker AND r.sweep_at = h.sweep_at AND r.topic = h.topic
WHERE to_date(r.sweep_at) = :ds AND l.outcome IN ('ok', 'partial')
WINDOW
    earlier AS (
        PARTITION BY r.cluster, r.sweep_at, r.broker, r.signature, r.metric, r.topic, r.partition ORDER BY r.slot
    )
QUALIFY r.slot = try_add(lag(r.slot) OVER earlier, 1)
