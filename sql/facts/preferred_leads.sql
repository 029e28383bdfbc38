-- Partitions whose preferred leader a listed broker is, and how many of them another broker leads though it is in sync.
-- in:  raw_sweeps, raw_topics, raw_brokers, intervals, overlapped_sweeps
-- out: one row per broker and pair of consecutive sweeps with metadata; from_away and away at the first and the second
WITH pairs AS (
    SELECT
        s.cluster,
        s.sweep_at AS to_sweep,
        lag(s.sweep_at) OVER (PARTITION BY s.cluster ORDER BY s.sweep_at) AS from_sweep
    FROM raw_sweeps AS s
    LEFT ANTI JOIN overlapped_sweeps AS o ON s.cluster = o.cluster AND s.sweep_at = o.sweep_at
    WHERE s.admin_outcome != 'failed' AND NOT array_contains(s.admin_missing, 'topics')
),

leads AS (
    SELECT
        t.cluster,
        t.sweep_at,
        get(t.replicas, 0) AS broker,
        count(*) AS partition_count,
        count_if(t.leader != get(t.replicas, 0) AND array_contains(t.isr, get(t.replicas, 0))) AS away
    FROM raw_topics AS t
    WHERE t.leader IS NOT NULL AND size(t.replicas) > 1
    GROUP BY t.cluster, t.sweep_at, get(t.replicas, 0)
),

listed AS (
    SELECT l.*
    FROM leads AS l
    INNER JOIN raw_brokers AS b
        ON l.cluster = b.cluster AND l.sweep_at = b.sweep_at AND l.broker = b.broker AND b.host IS NOT NULL
)

SELECT
    p.cluster,
    t.broker,
    p.from_sweep,
    p.to_sweep,
    t.partition_count,
    t.away,
    f.away AS from_away,
    i.same_process,
    p.from_sweep AS from_at,
    p.to_sweep AS to_at,
    (unix_micros(p.to_sweep) - unix_micros(p.from_sweep)) / 1e6D AS seconds
FROM pairs AS p
INNER JOIN listed AS t ON p.cluster = t.cluster AND p.to_sweep = t.sweep_at
INNER JOIN listed AS f ON p.cluster = f.cluster AND p.from_sweep = f.sweep_at AND t.broker = f.broker
LEFT JOIN intervals AS i
    ON
        p.cluster = i.cluster
        AND t.broker = i.broker
        AND p.from_sweep = i.from_sweep
        AND p.to_sweep = i.to_sweep
        AND i.kind = 'sweeps'
WHERE to_date(p.to_sweep) = :ds
