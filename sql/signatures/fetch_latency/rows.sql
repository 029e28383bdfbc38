-- The counted intervals of the brokers and windows in which a cause was found, those with most expiries first: the
-- counters' differences between two sweeps, as a second look would take them.
-- out: one row per cluster, broker and interval
SELECT
    s.cluster,
    s.broker,
    s.from_at,
    s.to_at,
    s.consumer_fetches,
    s.expired_consumer_fetches,
    c.cause,
    row_number() OVER (
        PARTITION BY s.cluster ORDER BY s.expired_consumer_fetches DESC, s.broker ASC, s.to_at ASC
    ) AS ordinal
FROM fetch_spans AS s
INNER JOIN caused_windows AS c ON s.cluster = c.cluster AND s.broker = c.broker AND s.time_window = c.time_window
WHERE c.cause IS NOT NULL
