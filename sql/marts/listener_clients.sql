-- Connections per sweep and listener of clients that may be too old to name themselves, less what brokers hold.
-- in:  raw_client_software, cluster_sweeps, cluster_days
-- out: one row per cluster, sweep and listener where brokers tell client libraries (from 2.5 on), and that had clients
--      at it or at the sweep before. nameless: clients that give no library, Java before 2.4 among them; old_java: Java
--      before 2.1 by its own word; *_before: at the cluster's sweep before it, null without one
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
            - CASE
                WHEN s.listener = coalesce(d.broker_listener, s.listener)
                    THEN
                        1D * coalesce(d.replica_fetchers, 1) * w.broker_count * (w.broker_count - 1)
                        + CASE WHEN d.cluster_mode = 'ZooKeeper' THEN w.broker_count ELSE 0 END
                ELSE 0
            END
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
        p.previous_sweep,
        c.listener,
        max(CASE WHEN c.sweep_at = p.sweep_at THEN c.connections END) AS connections,
        max(CASE WHEN c.sweep_at = p.sweep_at THEN c.old_java END) AS old_java,
        max(CASE WHEN c.sweep_at = p.sweep_at THEN c.nameless END) AS nameless,
        max(CASE WHEN c.sweep_at = p.previous_sweep THEN c.nameless END) AS nameless_before,
        max(CASE WHEN c.sweep_at = p.previous_sweep THEN c.old_java END) AS old_java_before,
        -- where no broker tells clients, none are known
        max(max(CASE WHEN c.sweep_at = p.sweep_at THEN 1 END)) OVER (PARTITION BY p.cluster, p.sweep_at) AS is_told
    FROM pairs AS p
    INNER JOIN counted AS c ON p.cluster = c.cluster AND p.read_sweep = c.sweep_at
    GROUP BY p.cluster, p.sweep_at, p.previous_sweep, c.listener
)

SELECT
    cluster,
    sweep_at,
    listener,
    coalesce(connections, 0) AS connections,
    coalesce(old_java, 0) AS old_java,
    coalesce(nameless, 0) AS nameless,
    CASE WHEN previous_sweep IS NOT NULL THEN coalesce(nameless_before, 0) END AS nameless_before,
    CASE WHEN previous_sweep IS NOT NULL THEN coalesce(old_java_before, 0) END AS old_java_before
FROM listeners
WHERE is_told = 1
