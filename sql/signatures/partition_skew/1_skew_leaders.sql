-- Which brokers took long for Produce in which interval, against the other brokers of the same interval.
-- in:  produce_times
-- out: one row per cluster, broker and interval; pace is slow, timely or between the two
WITH timed AS (
    SELECT
        cluster,
        broker,
        from_sweep,
        to_sweep,
        seconds,
        requests,
        mean_ms,
        p50_ms,
        p99_ms
    FROM produce_times
    WHERE array_contains(:clusters, cluster) AND requests >= :min_requests
),

-- the lower median: with three brokers the faster of the two others, so that two slow ones of three are both seen
compared AS (
    SELECT
        a.cluster,
        a.broker,
        a.from_sweep,
        a.to_sweep,
        max(a.seconds) AS seconds,
        max(a.requests) AS requests,
        max(a.mean_ms) AS mean_ms,
        max(a.p50_ms) AS p50_ms,
        max(a.p99_ms) AS p99_ms,
        get(sort_array(collect_list(b.mean_ms)), try_cast(floor((count(*) - 1) / 2) AS INT)) AS others_ms
    FROM timed AS a
    INNER JOIN timed AS b
        ON
            a.cluster = b.cluster
            AND a.from_sweep = b.from_sweep
            AND a.to_sweep = b.to_sweep
            AND a.broker != b.broker
    GROUP BY a.cluster, a.broker, a.from_sweep, a.to_sweep
)

SELECT
    *,
    CASE
        WHEN mean_ms >= :slow_ratio * others_ms AND mean_ms - others_ms >= :slow_ms THEN 'slow'
        WHEN mean_ms <= (1 + :slow_ratio) / 2 * others_ms OR mean_ms - others_ms <= :slow_ms / 2 THEN 'timely'
        ELSE 'between'
    END AS pace
FROM compared
