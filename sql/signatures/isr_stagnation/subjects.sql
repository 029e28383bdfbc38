-- Brokers that a detection is about, those with the most of its partitions first.
-- out: one row per cluster, cause, strength and broker
SELECT
    cluster,
    cause,
    strength,
    dead_broker,
    broker,
    row_number() OVER (
        PARTITION BY cluster ORDER BY count(DISTINCT topic, partition_id) DESC, max(away) DESC, broker ASC
    ) AS ordinal
FROM isr_stagnation_detections
GROUP BY cluster, cause, strength, dead_broker, broker
