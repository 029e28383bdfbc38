-- Whether the leader of the quorum described it, which of its voters were read, and whether nodes counted their errors.
-- in:  cluster_days, quorum_nodes, broker_days
-- out: sweeps that described the quorum; voters of which no process was read, fewest at one sweep; reads of each
--      broker's count of errors. total is 1 where the cluster has ZooKeeper and so no quorum, 2 where that is not known
WITH sweeps AS (
    SELECT
        cluster,
        sweep_at,
        max(leader_epoch) IS NOT NULL AS is_described,
        count_if(is_voter AND start_ms IS NULL) AS unread
    FROM quorum_nodes
    GROUP BY cluster, sweep_at
),

modes AS (
    SELECT
        cluster,
        CASE cluster_mode WHEN 'ZooKeeper' THEN 1 WHEN 'KRaft' THEN 0 ELSE 2 END AS mode_code
    FROM cluster_days
)

SELECT
    m.cluster,
    'quorum' AS need,
    NULL AS broker,
    count_if(s.is_described) AS amount,
    max(m.mode_code) AS total
FROM modes AS m
LEFT JOIN sweeps AS s ON m.cluster = s.cluster
GROUP BY m.cluster
UNION ALL
SELECT
    cluster,
    'voters' AS need,
    NULL AS broker,
    min(unread) AS amount,
    NULL AS total
FROM sweeps
WHERE is_described
GROUP BY cluster
UNION ALL
SELECT
    m.cluster,
    'errors' AS need,
    b.broker,
    count(n.metadata_errors) AS amount,
    max(m.mode_code) AS total
FROM modes AS m
INNER JOIN broker_days AS b ON m.cluster = b.cluster
LEFT JOIN quorum_nodes AS n ON m.cluster = n.cluster AND b.broker = n.node_id
WHERE b.is_broker
GROUP BY m.cluster, b.broker
