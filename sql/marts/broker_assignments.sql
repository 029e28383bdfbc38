-- How the partitions that are assigned to a broker stood from one sweep to the next: those that it should lead, or, of
-- one that the cluster does not list, those that go on without it.
WITH sweeps AS (
    SELECT
        cluster,
        sweep_at,
        lag(sweep_at) OVER (PARTITION BY cluster ORDER BY sweep_at) AS previous_sweep
    FROM cluster_sweeps
    WHERE topics_read AND NOT overlapped
),

preferred AS (
    SELECT
        cluster,
        sweep_at,
        last_sweep_at,
        get(replicas, 0) AS broker,
        count(*) AS partition_count,
        count_if(leader != get(replicas, 0) AND array_contains(isr, get(replicas, 0))) AS away
    FROM raw_topics
    WHERE leader IS NOT NULL AND size(replicas) > 1
    GROUP BY cluster, sweep_at, last_sweep_at, get(replicas, 0)
),

counted AS (
    SELECT
        t.cluster,
        s.sweep_at,
        t.broker,
        TRUE AS is_listed,
        try_sum(t.partition_count) AS partition_count,
        try_sum(t.away) AS away
    FROM preferred AS t
    INNER JOIN sweeps AS s ON t.cluster = s.cluster AND s.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at
    GROUP BY t.cluster, s.sweep_at, t.broker
    UNION ALL
    SELECT
        cluster,
        sweep_at,
        follower AS broker,
        is_listed,
        count(*) AS partition_count,
        NULL AS away
    FROM out_of_sync_replicas
    WHERE NOT is_listed
    GROUP BY cluster, sweep_at, follower, is_listed
),

paired AS (
    SELECT
        c.*,
        s.previous_sweep,
        lag(c.sweep_at) OVER before AS from_sweep,
        lag(c.away) OVER before AS from_away
    FROM counted AS c
    INNER JOIN sweeps AS s ON c.cluster = s.cluster AND c.sweep_at = s.sweep_at
    LEFT JOIN raw_brokers AS b
        ON c.cluster = b.cluster AND c.sweep_at = b.sweep_at AND c.broker = b.broker AND b.host IS NOT NULL
    WHERE (b.broker IS NOT NULL) = c.is_listed
    WINDOW before AS (PARTITION BY c.cluster, c.broker, c.is_listed ORDER BY c.sweep_at)
)

SELECT
    p.cluster,
    p.broker,
    p.from_sweep,
    p.sweep_at AS to_sweep,
    p.is_listed,
    p.partition_count,
    p.from_away,
    p.away,
    i.same_process
FROM paired AS p
LEFT JOIN broker_intervals AS i
    ON
        p.cluster = i.cluster AND p.broker = i.broker AND p.from_sweep = i.from_sweep AND p.sweep_at = i.to_sweep
        AND i.kind = 'sweeps'
WHERE p.from_sweep = p.previous_sweep AND to_date(p.sweep_at) = :ds
