-- Latency quantiles as each sweep of the day saw them (a decaying reservoir of about five minutes).
-- in:  raw_request_times
-- out: one row per broker, sweep, request and phase; ms
SELECT
    cluster,
    broker,
    sweep_at,
    read_at,
    request,
    phase,
    observations,
    min_ms,
    max_ms,
    mean_ms,
    p50_ms,
    p75_ms,
    p95_ms,
    p98_ms,
    p99_ms,
    p999_ms
FROM raw_request_times
WHERE to_date(sweep_at) = :ds
