-- Unclean leader elections that controllers counted between two sweeps, and how many of them are certain.
-- in:  broker_counters, cluster_days, raw_features
-- out: one row per cluster and sweep at which a process was read as at the sweep before. The count is the highest of
--      any process: in KRaft each controller counts every election. exact_elections: null where the count
--      may hold others: in KRaft before 4.1 it compares whole batches of changes (KAFKA-19212), and with eligible
--      leader replicas (KIP-966) the last leader of a partition without any counts as well
WITH pairs AS (
    SELECT
        cluster,
        to_sweep,
        max(from_sweep) AS from_sweep
    FROM broker_counters
    WHERE kind = 'sweeps'
    GROUP BY cluster, to_sweep
),

levels AS (
    SELECT
        cluster,
        max(feature = 'eligible.leader.replicas.version' AND coalesce(max_level > 0, FALSE)) AS eligible_replicas
    FROM raw_features
    GROUP BY cluster
)

SELECT
    h.cluster,
    h.from_sweep,
    h.to_sweep,
    max(h.unclean_elections) AS unclean_elections,
    max(
        CASE
            WHEN c.cluster_mode = 'ZooKeeper' THEN h.unclean_elections
            WHEN
                c.cluster_mode = 'KRaft'
                AND NOT l.eligible_replicas
                AND regexp_like(h.kafka_release, '^(4[.][1-9]|[5-9][.])[0-9.]*$')
                THEN h.unclean_elections
        END
    ) AS exact_elections
FROM broker_counters AS h
INNER JOIN pairs AS p ON h.cluster = p.cluster AND h.from_sweep = p.from_sweep AND h.to_sweep = p.to_sweep
LEFT JOIN cluster_days AS c ON h.cluster = c.cluster
LEFT JOIN levels AS l ON h.cluster = l.cluster
WHERE h.unclean_elections IS NOT NULL
GROUP BY h.cluster, h.from_sweep, h.to_sweep
