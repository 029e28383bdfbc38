-- Consumer fetches that take one poll of the network thread (300 ms) without having waited for records.
-- in:  fetch_windows, request_times, broker_days
-- out: one row per cluster and broker with a TLS listener whose total time sits at the poll while its wait does not
SELECT
    t.cluster,
    t.broker,
    min(t.from_at) AS from_at,
    max(t.to_at) AS to_at,
    try_sum(t.seconds) AS seconds,
    try_sum(t.fetches) AS fetches,
    try_sum(t.expired) AS expired,
    max_by(a.p95_ms, a.read_at) AS p95_ms
FROM fetch_windows AS t
INNER JOIN broker_days AS b ON t.cluster = b.cluster AND t.broker = b.broker AND b.tls_listener
INNER JOIN request_times AS a
    ON
        t.cluster = a.cluster
        AND t.broker = a.broker
        AND t.to_sweep = a.sweep_at
        AND a.request = 'FetchConsumer'
        AND a.phase = 'TotalTimeMs'
INNER JOIN request_times AS r
    ON
        t.cluster = r.cluster
        AND t.broker = r.broker
        AND t.to_sweep = r.sweep_at
        AND r.request = 'FetchConsumer'
        AND r.phase = 'RemoteTimeMs'
WHERE
    a.p75_ms BETWEEN :tls_poll_ms - 5 AND :tls_poll_ms + 20
    AND a.p95_ms BETWEEN :tls_poll_ms - 5 AND :tls_poll_ms + 20
    AND r.p75_ms < 0.5 * :tls_poll_ms
GROUP BY t.cluster, t.broker
