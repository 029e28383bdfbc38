-- Intervals that were not used, and why: silence would look like health.
SELECT
    cluster,
    broker,
    'process_changed' AS reason,
    count(*) AS intervals
FROM broker_intervals
WHERE kind = 'sweeps' AND NOT same_process
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    broker,
    if(to_at > from_at, 'clock_set', 'no_time') AS reason,
    count(*) AS intervals
FROM broker_intervals
WHERE seconds <= 0
GROUP BY cluster, broker, reason
UNION ALL
SELECT
    cluster,
    broker,
    'counter_ran_back' AS reason,
    count(*) AS intervals
FROM broker_counters
WHERE ran_back
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    broker,
    'log_went_back' AS reason,
    count(*) AS intervals
FROM partition_rates
WHERE went_back
GROUP BY cluster, broker
