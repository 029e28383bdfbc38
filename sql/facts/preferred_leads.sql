-- Partitions whose preferred leader a listed broker is, and how many of them another broker leads though it is in sync.
-- in:  raw_sweeps, raw_topics, raw_brokers, broker_intervals, cluster_sweeps
-- out: one row per broker and pair of consecutive sweeps with metadata; from_away and away at the first and the second
WITH pairs AS (
    SELECT
        s.cluster,
        s.sweep_at AS to_sweep,
        lag(s.sweep_at) OVER (PARTITION BY s.cluster ORDER BY s.sweep_at) AS from_sweep
    FROM raw_sweeps AS s
    LEFT ANTI JOIN cluster_sweeps AS o ON s.cluster = o.cluster AND s.sweep_at = o.sweep_at AND o.overlapped
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
    SELECT
        l.*,
        p.from_sweep,
        lag(l.sweep_at) OVER (PARTITION BY l.cluster, l.broker ORDER BY l.sweep_at) AS before_sweep,
        lag(l.away) OVER (PARTITION BY l.cluster, l.broker ORDER BY l.sweep_at) AS from_away
    FROM leads AS l
    INNER JOIN pairs AS p ON l.cluster = p.cluster AND l.sweep_at = p.to_sweep
    INNER JOIN raw_brokers AS b
        ON l.cluster = b.cluster AND l.sweep_at = b.sweep_at AND l.broker = b.broker AND b.host IS NOT NULL
)

SELECT
    l.cluster,
    l.broker,
    l.from_sweep,
    l.sweep_at AS to_sweep,
    l.partition_count,
    l.away,
    l.from_away,
    i.same_process,
    l.from_sweep AS from_at,
    l.sweep_at AS to_at,
    (unix_micros(l.sweep_at) - unix_micros(l.from_sweep)) / 1e6D AS seconds
FROM listed AS l
LEFT JOIN broker_intervals AS i
    ON
        l.cluster = i.cluster
        AND l.broker = i.broker
        AND l.from_sweep = i.from_sweep
        AND l.sweep_at = i.to_sweep
        AND i.kind = 'sweeps'
WHERE l.before_sweep = l.from_sweep AND to_date(l.sweep_at) = :ds
