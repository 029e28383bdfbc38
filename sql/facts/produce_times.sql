-- How long a broker took for its Produce requests in each interval of one process.
-- in:  intervals (kind sweeps), raw_request_times
-- out: one row per broker and interval; mean_ms is that of the interval and null without requests, the quantiles are
--      those that the broker showed at its end (a decaying reservoir of about five minutes); ms
WITH reads AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        observations,
        mean_ms,
        p50_ms,
        p99_ms
    FROM raw_request_times
    WHERE request = 'Produce' AND phase = 'TotalTimeMs' AND observations IS NOT NULL AND mean_ms IS NOT NULL
)

SELECT
    i.cluster,
    i.broker,
    i.from_sweep,
    i.to_sweep,
    i.from_at,
    i.to_at,
    i.seconds,
    t.p50_ms,
    t.p99_ms,
    t.observations - f.observations AS requests,
    -- count and mean are since the start of the process, so their product is the time spent up to each read
    CASE
        WHEN t.observations > f.observations
            THEN
                try_divide(
                    greatest(0.0D, t.observations * t.mean_ms - f.observations * f.mean_ms),
                    t.observations - f.observations
                )
    END AS mean_ms
FROM intervals AS i
INNER JOIN reads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
INNER JOIN reads AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
WHERE i.kind = 'sweeps' AND i.same_process AND i.seconds > 0 AND t.observations >= f.observations
