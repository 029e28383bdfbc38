-- Client libraries connected over the day, the most connections seen in any sweep, less what brokers hold themselves:
-- upper bounds, and producers and consumers cannot be told apart.
WITH seen AS (
    SELECT
        cluster,
        sweep_at,
        software_version,
        listener,
        coalesce(software, 'unknown') AS software,
        try_sum(connections) AS connections
    FROM raw_client_software
    WHERE connections > 0 AND to_date(sweep_at) = :ds
    GROUP BY cluster, sweep_at, software, software_version, listener
),

releases AS (
    SELECT
        m.cluster,
        m.sweep_at,
        m.release,
        count(*) AS broker_count
    FROM raw_broker_metrics AS m
    INNER JOIN raw_brokers AS b ON m.cluster = b.cluster AND m.sweep_at = b.sweep_at AND m.broker = b.broker
    WHERE b.is_broker AND m.release IS NOT NULL
    GROUP BY m.cluster, m.sweep_at, m.release
),

transactional AS (
    SELECT DISTINCT cluster
    FROM raw_topics
    WHERE topic = '__transaction_state' AND to_date(last_sweep_at) = :ds
),

-- Replica fetchers do not say who they are: each broker holds some to each of the others on the brokers' own listener.
-- Brokers name themselves as Java clients of their own release where they change in-sync sets (one each to the
-- controller, with ZooKeeper from 2.8 on) and where they check transactions (one each to each, from 3.7.1 on).
counted AS (
    SELECT
        s.* EXCEPT (connections),
        s.connections
        - if(
            s.software = 'unknown' AND s.listener = d.broker_listener,
            1D * coalesce(d.replica_fetchers, 1) * w.listed_brokers * (w.listed_brokers - 1), 0
        )
        - if(
            d.cluster_mode = 'ZooKeeper' AND s.listener = coalesce(d.control_listener, d.broker_listener)
            AND NOT r.release RLIKE '^(0|1|2[.][0-7])[.]',
            1D * r.broker_count, 0
        )
        - if(
            t.cluster IS NOT NULL AND s.listener = d.broker_listener
            AND NOT r.release RLIKE '^([0-2]|3[.][0-6])[.]' AND NOT r.release RLIKE '^3[.]7[.]0',
            1D * r.broker_count * w.listed_brokers, 0
        ) AS connections
    FROM seen AS s
    INNER JOIN cluster_sweeps AS w ON s.cluster = w.cluster AND s.sweep_at = w.sweep_at
    LEFT JOIN cluster_days AS d ON s.cluster = d.cluster
    LEFT JOIN transactional AS t ON s.cluster = t.cluster
    LEFT JOIN releases AS r
        ON
            s.cluster = r.cluster AND s.sweep_at = r.sweep_at
            AND s.software = 'apache-kafka-java' AND s.software_version = r.release
    WHERE NOT array_contains(split(coalesce(d.controller_listeners, ''), ','), s.listener)
),

shared AS (
    SELECT
        *,
        try_sum(connections) OVER (PARTITION BY cluster, sweep_at, listener) AS listener_connections
    FROM counted
    WHERE connections > 0
)

SELECT
    cluster,
    software,
    software_version,
    listener,
    max(connections) AS connections,
    try_cast(max(ceil(try_divide(10000 * connections, listener_connections))) AS DOUBLE) / 10000 AS share_at_most,
    min(sweep_at) AS first_seen,
    max(sweep_at) AS last_seen
FROM shared
GROUP BY cluster, software, software_version, listener
