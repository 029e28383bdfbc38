-- Quantiles of the time of consumer fetches as each sweep of the day saw them (a decaying reservoir of some 5 minutes).
SELECT
    cluster,
    broker,
    sweep_at,
    read_at,
    phase,
    observations,
    p50_ms,
    p75_ms,
    p95_ms,
    p98_ms,
    p99_ms,
    p999_ms
FROM raw_request_times
WHERE request = 'FetchConsumer' AND to_date(sweep_at) = :ds
