-- Partitions that more than one broker led, or that a leader's reads did not all show.
-- in:  raw_brokers, raw_partitions
-- out: one row per partition; those of one leader throughout are compared in partition_rates
WITH reads AS (
    SELECT
        cluster,
        broker,
        count(*) AS times
    FROM raw_brokers
    WHERE read_at IS NOT NULL
    GROUP BY cluster, broker
)

SELECT
    p.cluster,
    p.topic,
    p.partition
FROM raw_partitions AS p
INNER JOIN reads AS r ON p.cluster = r.cluster AND p.broker = r.broker
WHERE p.replicas_count > 0
GROUP BY p.cluster, p.topic, p.partition
HAVING min(p.broker) != max(p.broker) OR count(*) < max(r.times)
