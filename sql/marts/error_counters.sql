-- Responses by error code in each interval of one broker process: for Produce and Fetch one per partition in a request;
-- of requests to coordinators those that found none, or one that loads.
SELECT
    c.cluster,
    c.broker,
    c.kind,
    c.from_sweep,
    c.to_sweep,
    c.from_at,
    c.to_at,
    t.request,
    t.error,
    -- a code's counter is made at its first event: absent at the start of the interval is 0
    t.errors - coalesce(f.errors, 0) AS errors
FROM broker_counters AS c
INNER JOIN raw_request_errors AS t ON c.cluster = t.cluster AND c.broker = t.broker AND c.to_sweep = t.sweep_at
LEFT JOIN raw_request_errors AS f
    ON
        c.cluster = f.cluster AND c.broker = f.broker AND c.from_sweep = f.sweep_at AND t.request = f.request
        AND t.error = f.error
WHERE
    c.errors_known AND t.errors - coalesce(f.errors, 0) > 0
    AND (t.request IN ('Produce', 'Fetch', 'ListGroups') OR t.error LIKE 'COORDINATOR_%')
