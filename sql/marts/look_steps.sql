-- What each number of a close look did from one reading to the next.
-- in:  raw_looks, raw_look_reads, raw_partitions
-- out: one row per look, number and reading after its first; step is null where a counter ran back. leaders, replicas:
--      partitions of the topic that the broker led and held at the look's sweep
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
),

reads AS (
    SELECT
        r.cluster,
        r.broker,
        r.signature,
        r.sweep_at,
        r.metric,
        r.topic,
        r.partition,
        r.slot,
        r.value,
        coalesce(h.leaders, 0) AS leaders,
        coalesce(h.replicas, 0) AS replicas,
        lag(r.slot) OVER earlier AS slot_before,
        lag(r.value) OVER earlier AS value_before
    FROM raw_look_reads AS r
    INNER JOIN raw_looks AS l
        ON r.cluster = l.cluster AND r.sweep_at = l.sweep_at AND r.broker = l.broker AND r.signature = l.signature
    LEFT JOIN held AS h
        ON r.cluster = h.cluster AND r.broker = h.broker AND r.sweep_at = h.sweep_at AND r.topic = h.topic
    WHERE to_date(r.sweep_at) = :ds AND l.outcome IN ('ok', 'partial')
    WINDOW earlier AS (
        PARTITION BY r.cluster, r.sweep_at, r.broker, r.signature, r.metric, r.topic, r.partition ORDER BY r.slot
    )
)

SELECT
    cluster,
    broker,
    signature,
    sweep_at,
    metric,
    topic,
    partition,
    slot,
    leaders,
    replicas,
    CASE WHEN value >= value_before THEN try_subtract(value, value_before) END AS step
FROM reads
WHERE slot = try_add(slot_before, 1)
