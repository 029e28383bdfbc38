-- Whether groups and their members were read, and of which brokers completed rebalances are counted.
-- in:  cluster_sweeps, broker_sweeps, broker_days, rebalance_moments, rebalance_storm_thresholds
-- out: sweeps of each cluster that read members; reads of each broker with its groups in a rebalance, and with the
--      count of completed ones, total 1 where its release has none; rebalances of a broker that were more than
--      healthy groups have, and that the connections it took, total, may explain
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
UNION ALL
SELECT
    m.cluster,
    'newcomers' AS need,
    m.broker,
    try_sum(m.completed) AS amount,
    if(count(m.created) = count(*), try_sum(m.created), NULL) AS total
FROM rebalance_moments AS m
INNER JOIN rebalance_storm_thresholds AS t ON m.cluster = t.cluster
WHERE
    m.cause = 'same_members'
    AND m.completed >= m.active_groups * t.max_rebalances_per_hour * m.seconds / 3600
    -- as detections.sql has it
    AND coalesce(
        m.completed - 4 * m.created < m.active_groups * t.max_rebalances_per_hour * m.seconds / 3600, TRUE
    )
GROUP BY m.cluster, m.broker
HAVING
    try_sum(try_cast(m.seconds AS DECIMAL(28, 9))) >= max(t.min_busy_s) AND count(*) >= max(t.min_sweeps)
