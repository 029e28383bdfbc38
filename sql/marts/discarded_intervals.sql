-- Intervals that were not used, and why: silence would look like health.
SELECT
    cluster,
    broker,
    reason,
    count(*) AS intervals
FROM broker_intervals
    LATERAL VIEW explode(
        array(
            if(kind = 'sweeps' AND NOT same_process, 'process_changed', NULL),
            if(seconds <= 0, if(to_at > from_at, 'clock_set', 'no_time'), NULL)
        )
    ) r AS reason
WHERE reason IS NOT NULL
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
