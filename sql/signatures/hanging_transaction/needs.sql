-- Whether brokers told of the transactions that they coordinate, whether they count late ones, and whether those that
-- they count were looked at.
-- in:  broker_sweeps, broker_days, open_transactions
-- out: reads of each broker, total 1 where its release has no such request or gauge; late partitions of brokers of
--      which no open transaction was read
WITH looks AS (
    SELECT
        b.cluster,
        b.broker,
        count(b.listed_transactions) AS listed_reads,
        count(b.late_transaction_partitions) AS late_reads,
        max(b.late_transaction_partitions) AS late_partitions,
        max(
            100 * try_cast(split_part(d.kafka_release, '.', 1) AS DOUBLE)
            + try_cast(split_part(d.kafka_release, '.', 2) AS DOUBLE)
        ) AS line
    FROM broker_sweeps AS b
    LEFT JOIN broker_days AS d ON b.cluster = d.cluster AND b.broker = d.broker
    GROUP BY b.cluster, b.broker
)

SELECT
    cluster,
    'listed' AS need,
    broker,
    listed_reads AS amount,
    if(line < 300, 1, 0) AS total
FROM looks
UNION ALL
SELECT
    cluster,
    'late' AS need,
    broker,
    late_reads AS amount,
    if(line < 302, 1, 0) AS total
FROM looks
UNION ALL
SELECT
    l.cluster,
    'named' AS need,
    l.broker,
    max(l.late_partitions) AS amount,
    NULL AS total
FROM looks AS l
LEFT ANTI JOIN open_transactions AS o ON l.cluster = o.cluster AND l.broker = o.broker
GROUP BY l.cluster, l.broker
