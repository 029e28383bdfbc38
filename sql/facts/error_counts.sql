-- Responses by error code in each interval of one broker process: for Produce and Fetch one per partition in a request.
-- in:  error_spans, raw_request_errors
-- out: one row per broker, interval, request and error code (NONE included) that was counted in it; never 0 or less
SELECT
    s.cluster,
    s.broker,
    s.kind,
    s.from_sweep,
    s.to_sweep,
    s.from_at,
    s.to_at,
    s.seconds,
    t.request,
    t.error,
    t.errors - coalesce(f.errors, 0) AS errors
FROM broker_counters AS s
INNER JOIN raw_request_errors AS t ON s.cluster = t.cluster AND s.broker = t.broker AND s.to_sweep = t.sweep_at
-- an interval from process start has no first read, and its counters began at 0
LEFT JOIN raw_request_errors AS f
    ON
        s.cluster = f.cluster
        AND s.broker = f.broker
        AND s.from_sweep = f.sweep_at
        AND t.request = f.request
        AND t.error = f.error
WHERE s.errors_known AND t.request IN ('Produce', 'Fetch') AND t.errors - coalesce(f.errors, 0) > 0
