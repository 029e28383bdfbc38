-- Connections per sweep and listener of clients that may be too old to name themselves, less what brokers hold, where
-- brokers tell client libraries (from 2.5 on).
WITH seen AS (
    SELECT
        cluster,
        sweep_at,
        listener,
        try_sum(CASE WHEN software = 'unknown' THEN connections ELSE 0 END) AS nameless,
        try_sum(
            CASE
                WHEN software = 'apache-kafka-java' AND software_version RLIKE '^(0|1|2[.]0)[.]' THEN connections
                ELSE 0
            END
        ) AS old_java,
        try_sum(connections) AS connections
    FROM raw_client_software
    WHERE connections > 0
    GROUP BY cluster, sweep_at, listener
),

-- each broker holds nameless connections of its replica fetchers to every other one; a ZooKeeper controller one to each
counted AS (
    SELECT
        s.* EXCEPT (nameless),
        greatest(
            0,
            s.nameless
            - if(
                s.listener = coalesce(d.broker_listener, s.listener),
                1D * coalesce(d.replica_fetchers, 1) * w.broker_count * (w.broker_count - 1)
                + if(d.cluster_mode = 'ZooKeeper', w.broker_count, 0),
                0
            )
        ) AS nameless
    FROM seen AS s
    INNER JOIN cluster_sweeps AS w ON s.cluster = w.cluster AND s.sweep_at = w.sweep_at
    LEFT JOIN cluster_days AS d ON s.cluster = d.cluster
    WHERE NOT array_contains(split(coalesce(d.controller_listeners, ''), ','), s.listener)
),

-- each sweep is laid beside the one before; a listener without connections in one of the two has none there
pairs AS (
    SELECT
        cluster,
        sweep_at,
        previous_sweep,
        explode(array(sweep_at, previous_sweep)) AS read_sweep
    FROM cluster_sweeps
    WHERE to_date(sweep_at) = :ds
),

listeners AS (
    SELECT
        p.cluster,
        p.sweep_at,
        c.listener,
        coalesce(max(if(c.sweep_at = p.sweep_at, c.connections, NULL)), 0) AS connections,
        coalesce(max(if(c.sweep_at = p.sweep_at, c.old_java, NULL)), 0) AS old_java,
        coalesce(max(if(c.sweep_at = p.sweep_at, c.nameless, NULL)), 0) AS nameless,
        max(if(p.previous_sweep IS NULL, NULL, if(c.sweep_at = p.previous_sweep, c.nameless, 0))) AS nameless_before,
        max(if(p.previous_sweep IS NULL, NULL, if(c.sweep_at = p.previous_sweep, c.old_java, 0))) AS old_java_before,
        -- where no broker tells clients, none are known
        max(max(c.sweep_at = p.sweep_at)) OVER (PARTITION BY p.cluster, p.sweep_at) AS is_told
    FROM pairs AS p
    INNER JOIN counted AS c ON p.cluster = c.cluster AND p.read_sweep = c.sweep_at
    GROUP BY p.cluster, p.sweep_at, c.listener
)

SELECT * EXCEPT (is_told)
FROM listeners
WHERE is_told
