-- Unclean leader elections that controllers counted between two sweeps, and how many of them are certain.
-- in:  broker_counters, cluster_days
-- out: one row per cluster and sweep at which a process was read as at the sweep before. The count is the highest of
--      any process: in KRaft each controller counts every election. exact_elections: null where the count
--      may hold others: in KRaft before 4.1 it compares whole batches of changes (KAFKA-19212), and with eligible
--      leader replicas (KIP-966) the last leader of a partition without any counts as well
WITH counted AS (
    SELECT
        *,
        max(from_sweep) OVER (PARTITION BY cluster, to_sweep) AS latest_from_sweep
    FROM broker_counters
    WHERE kind = 'sweeps'
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
                AND NOT c.eligible_leader_replicas
                AND regexp_like(h.kafka_release, '^(4[.][1-9]|[5-9][.])[0-9.]*$')
                THEN h.unclean_elections
        END
    ) AS exact_elections
FROM counted AS h
LEFT JOIN cluster_days AS c ON h.cluster = c.cluster
WHERE h.from_sweep = h.latest_from_sweep AND h.unclean_elections IS NOT NULL
GROUP BY h.cluster, h.from_sweep, h.to_sweep
