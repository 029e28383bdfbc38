-- Which brokers have the rates of their partitions and their Produce times.
-- in:  broker_days, intervals, produce_times, partition_rates, partition_skew_thresholds
-- out: one row per broker
WITH spans AS (
    SELECT
        cluster,
        broker,
        count(*) AS spans
    FROM intervals
    WHERE kind = 'sweeps' AND seconds > 0
    GROUP BY cluster, broker
),

measured AS (
    SELECT
        b.cluster,
        b.broker,
        -- a read whose log ends were cut off or refused gives an interval, and no rates
        coalesce(s.spans, 0) >= t.min_windows AND b.ok_reads + b.partial_reads >= t.min_windows AS has_rates,
        EXISTS (
            SELECT 1
            FROM produce_times AS p
            WHERE b.cluster = p.cluster AND b.broker = p.broker
        )
        -- Kafka makes the Produce times at the first Produce: a broker that leads nothing with records needs none
        OR NOT EXISTS (
            SELECT 1
            FROM partition_rates AS r
            WHERE b.cluster = r.cluster AND b.broker = r.broker AND r.records > 0
        ) AS has_times
    FROM broker_days AS b
    INNER JOIN partition_skew_thresholds AS t ON b.cluster = t.cluster
    LEFT JOIN spans AS s ON b.cluster = s.cluster AND b.broker = s.broker
    WHERE b.is_broker
)

SELECT
    cluster,
    'leaders' AS need,
    broker,
    has_rates AND has_times AS is_met,
    CASE WHEN NOT has_rates THEN 'rates' WHEN NOT has_times THEN 'produce_times' END AS reason
FROM measured
