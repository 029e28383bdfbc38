-- Which brokers have the rates of their partitions and their Produce times.
-- out: intervals of each broker, and one row per broker with Produce times or without need of any; sweeps that lack
--      what clients push
WITH led AS (
    SELECT DISTINCT
        cluster,
        broker
    FROM partition_rates
    WHERE records > 0
)

SELECT
    b.cluster,
    'partition_rates' AS need,
    b.broker,
    -- a read whose log ends were cut off or refused gives an interval, and no rates
    least(count(*), b.ok_reads + b.partial_reads) AS amount
FROM broker_days AS b
INNER JOIN broker_intervals AS s ON b.cluster = s.cluster AND b.broker = s.broker
WHERE s.kind = 'sweeps' AND s.seconds > 0
GROUP BY b.cluster, b.broker, b.ok_reads, b.partial_reads
UNION ALL
SELECT
    cluster,
    'produce_times' AS need,
    broker,
    count(*) AS amount
FROM broker_counters
WHERE timed_produces >= 0
GROUP BY cluster, broker
UNION ALL
-- Kafka makes the Produce times at the first Produce: a broker that leads nothing with records needs none
SELECT
    b.cluster,
    'produce_times' AS need,
    b.broker,
    1 AS amount
FROM broker_days AS b
LEFT ANTI JOIN led AS l ON b.cluster = l.cluster AND b.broker = l.broker
UNION ALL
-- where a Prometheus is asked for what clients push
SELECT
    cluster,
    'clients_push' AS need,
    NULL AS broker,
    unread_sweeps AS amount
FROM client_reads
