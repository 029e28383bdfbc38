-- Intervals that were not used, and why: silence would look like health.
-- in:  intervals, counters, partition_rates
-- out: one row per cluster, broker and reason
SELECT
    cluster,
    broker,
    'the broker process changed between two sweeps; its counters are not compared' AS reason,
    count(*) AS intervals
FROM broker_intervals
WHERE kind = 'sweeps' AND NOT same_process
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    broker,
    CASE
        WHEN to_at > from_at THEN 'the collector''s clock or the broker''s was set between two reads'
        ELSE 'no time passed between two reads'
    END AS reason,
    count(*) AS intervals
FROM broker_intervals
WHERE seconds <= 0
GROUP BY cluster, broker, reason
UNION ALL
SELECT
    cluster,
    broker,
    'a counter ran backwards within one process' AS reason,
    count(*) AS intervals
FROM broker_counters
WHERE ran_back
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    broker,
    'a partition''s log end or start went back, or its topic was created anew' AS reason,
    count(*) AS intervals
FROM partition_rates
WHERE went_back
GROUP BY cluster, broker
