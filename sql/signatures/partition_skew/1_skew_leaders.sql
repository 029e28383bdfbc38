-- Which brokers took long for Produce in which interval, against the other brokers of the same interval.
-- out: one row per cluster, broker and interval; pace is slow, timely or between the two
WITH placed AS (
    SELECT
        p.cluster,
        p.broker,
        p.from_sweep,
        p.to_sweep,
        p.seconds,
        p.timed_produces AS requests,
        p.produce_mean_ms AS mean_ms,
        p.produce_p50_ms AS p50_ms,
        p.produce_p99_ms AS p99_ms,
        t.slow_ratio,
        t.slow_ms,
        row_number() OVER (PARTITION BY p.cluster, p.from_sweep, p.to_sweep ORDER BY p.produce_mean_ms, p.broker)
            AS place,
        floor(count(*) OVER (PARTITION BY p.cluster, p.from_sweep, p.to_sweep) / 2) AS half
    FROM broker_counters AS p
    INNER JOIN partition_skew_thresholds AS t ON p.cluster = t.cluster
    WHERE p.timed_produces >= t.min_requests
)

SELECT
    * EXCEPT (slow_ratio, slow_ms, place, half),
    -- the lower median of the others: with three brokers the faster of the two, so that two slow ones are both seen
    if(
        place > half,
        max(if(place = half, mean_ms, NULL)) OVER of_interval,
        max(if(place - 1 = half, mean_ms, NULL)) OVER of_interval
    ) AS others_ms,
    CASE
        WHEN mean_ms >= slow_ratio * others_ms AND mean_ms - others_ms >= slow_ms THEN 'slow'
        WHEN mean_ms <= (1 + slow_ratio) / 2 * others_ms OR mean_ms - others_ms <= slow_ms / 2 THEN 'timely'
        ELSE 'between'
    END AS pace
FROM placed
WINDOW of_interval AS (PARTITION BY cluster, from_sweep, to_sweep)
QUALIFY others_ms IS NOT NULL
