-- Connections per sweep and listener of clients that may be too old to name themselves, less what brokers hold.
-- in:  raw_client_software, raw_brokers, raw_sweeps, config_days, cluster_days
-- out: one row per cluster, sweep and listener where brokers tell client libraries (from 2.5 on). nameless: clients
--      that give no library, Java before 2.4 among them; old_java: Java before 2.1 by its own word; *_before: at the
--      cluster's sweep before it, null without one
WITH settings AS (
    SELECT
        c.cluster,
        max(c.cluster_mode) AS cluster_mode,
        max(CASE WHEN s.name = 'controller.listener.names' THEN s.config_value END) AS controller_listeners,
        max(CASE WHEN s.name = 'inter.broker.listener.name' THEN s.config_value END) AS broker_listener,
        max(CASE WHEN s.name = 'security.inter.broker.protocol' THEN s.config_value END) AS broker_protocol,
        max(CASE WHEN s.name = 'num.replica.fetchers' THEN try_cast(s.config_value AS INT) END) AS fetchers
    FROM cluster_days AS c
    LEFT JOIN config_days AS s ON c.cluster = s.cluster
    GROUP BY c.cluster
),

sizes AS (
    SELECT
        cluster,
        sweep_at,
        coalesce(nullif(count_if(host IS NOT NULL), 0), count_if(is_broker)) AS broker_count
    FROM raw_brokers
    GROUP BY cluster, sweep_at
),

seen AS (
    SELECT
        c.cluster,
        c.sweep_at,
        c.listener,
        try_sum(CASE WHEN c.software = 'unknown' THEN c.connections ELSE 0 END) AS nameless,
        try_sum(
            CASE
                WHEN c.software = 'apache-kafka-java' AND c.software_version RLIKE '^(0|1|2[.]0)[.]' THEN c.connections
                ELSE 0
            END
        ) AS old_java,
        try_sum(c.connections) AS connections
    FROM raw_client_software AS c
    WHERE c.connections > 0
    GROUP BY c.cluster, c.sweep_at, c.listener
),

-- each broker holds nameless connections of its replica fetchers to every other one; a ZooKeeper controller one to each
counted AS (
    SELECT
        s.cluster,
        s.sweep_at,
        s.listener,
        s.old_java,
        s.connections,
        s.nameless
        - CASE
            WHEN s.listener = coalesce(nullif(o.broker_listener, ''), o.broker_protocol, s.listener)
                THEN
                    1D * coalesce(o.fetchers, 1) * z.broker_count * (z.broker_count - 1)
                    + CASE WHEN o.cluster_mode = 'ZooKeeper' THEN z.broker_count ELSE 0 END
            ELSE 0
        END AS nameless
    FROM seen AS s
    INNER JOIN sizes AS z ON s.cluster = z.cluster AND s.sweep_at = z.sweep_at
    LEFT JOIN settings AS o ON s.cluster = o.cluster
    WHERE NOT array_contains(split(coalesce(o.controller_listeners, ''), ','), s.listener)
),

sweeps AS (
    SELECT
        cluster,
        sweep_at,
        lag(sweep_at) OVER (PARTITION BY cluster ORDER BY sweep_at) AS sweep_before
    FROM raw_sweeps
),

-- a listener without connections in one of the two sweeps has none there
told AS (
    SELECT DISTINCT
        cluster,
        sweep_at
    FROM counted
),

listeners AS (
    SELECT DISTINCT
        cluster,
        listener
    FROM counted
)

SELECT
    w.cluster,
    w.sweep_at,
    l.listener,
    coalesce(n.connections, 0) AS connections,
    coalesce(n.old_java, 0) AS old_java,
    greatest(0, coalesce(n.nameless, 0)) AS nameless,
    CASE WHEN w.sweep_before IS NOT NULL THEN greatest(0, coalesce(p.nameless, 0)) END AS nameless_before,
    CASE WHEN w.sweep_before IS NOT NULL THEN coalesce(p.old_java, 0) END AS old_java_before
FROM sweeps AS w
INNER JOIN told AS t ON w.cluster = t.cluster AND w.sweep_at = t.sweep_at
INNER JOIN listeners AS l ON w.cluster = l.cluster
LEFT JOIN counted AS n ON w.cluster = n.cluster AND w.sweep_at = n.sweep_at AND l.listener = n.listener
LEFT JOIN counted AS p ON w.cluster = p.cluster AND w.sweep_before = p.sweep_at AND l.listener = p.listener
WHERE to_date(w.sweep_at) = :ds
