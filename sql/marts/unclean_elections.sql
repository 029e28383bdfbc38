-- Unclean leader elections that controllers counted between two sweeps, and how many of them are certain. In KRaft each
-- controller counts every election; before 4.1 it compares whole batches of changes (KAFKA-19212), and with eligible
-- leader replicas (KIP-966) the last leader of a partition without any counts as well.
WITH counted AS (
    SELECT *
    FROM broker_counters
    WHERE kind = 'sweeps'
    QUALIFY from_sweep = max(from_sweep) OVER (PARTITION BY cluster, to_sweep)
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
WHERE h.unclean_elections IS NOT NULL
GROUP BY h.cluster, h.from_sweep, h.to_sweep
