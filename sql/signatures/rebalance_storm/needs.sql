-- Whether groups and their members were read, and of which brokers completed rebalances are counted.
-- in:  cluster_sweeps, broker_sweeps, broker_days
-- out: sweeps of each cluster that read members; reads of each broker with its groups in a
--      rebalance, and with the count of completed ones,
--      total 1 where its release has none
SELECT
    cluster,
    'groups' AS need,
    NULL AS broker,
    count_if(usable AND members_read) AS amount,
    count(*) AS total
FROM cluster_sweeps
GROUP BY cluster
UNION ALL
SELECT
    cluster,
    'states' AS need,
    broker,
    count(groups_preparing_rebalance + groups_completing_rebalance) AS amount,
    NULL AS total
FROM broker_sweeps
WHERE is_broker
GROUP BY cluster, broker
UNION ALL
SELECT
    b.cluster,
    'rebalances' AS need,
    b.broker,
    count(b.completed_rebalances) AS amount,
    if(
        max(
            100 * try_cast(split_part(d.kafka_release, '.', 1) AS DOUBLE)
            + try_cast(split_part(d.kafka_release, '.', 2) AS DOUBLE)
        ) < 204, 1, 0
    ) AS total
FROM broker_sweeps AS b
LEFT JOIN broker_days AS d ON b.cluster = d.cluster AND b.broker = d.broker
WHERE b.is_broker
GROUP BY b.cluster, b.broker
