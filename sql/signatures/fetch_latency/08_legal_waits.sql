-- Expiries that a healthy broker would show too, from the arrival rates of what each group member reads.
-- A waiting fetch sees no arrival with probability exp(-rate * wait) (Poisson arrivals), so a reader's fetches expire
-- rate / (exp(rate * wait) - 1) times per s, which is 1 / wait for an idle one.
-- in:  reader_sessions, fetch_spans, fetch_windows, follower_reads, bypassed_leaders
-- out: one row per cluster, broker and window; counts
WITH members AS (
    SELECT
        m.cluster,
        m.broker,
        s.time_window,
        m.kind,
        m.to_sweep,
        m.group_id,
        m.member_id,
        -- sums are decimal: the same to the last bit however the rows are spread over cores
        try_cast(
            try_sum(
                try_cast(
                    CASE WHEN f.topic IS NOT NULL THEN m.hosted_arrivals_per_s ELSE m.led_arrivals_per_s END
                    AS DECIMAL(28, 9)
                )
            ) AS DOUBLE
        ) AS arrivals_per_s,
        max(m.seconds) AS seconds,
        max(w.wait_s) AS wait_s
    FROM reader_sessions AS m
    INNER JOIN fetch_spans AS s
        ON m.cluster = s.cluster AND m.broker = s.broker AND m.to_sweep = s.to_sweep AND m.kind = s.kind
    INNER JOIN fetch_windows AS w ON s.cluster = w.cluster AND s.broker = w.broker AND s.time_window = w.time_window
    LEFT JOIN follower_reads AS f
        ON m.cluster = f.cluster AND m.broker = f.broker AND m.topic = f.topic AND s.time_window = f.time_window
    LEFT JOIN bypassed_leaders AS y
        ON m.cluster = y.cluster AND m.broker = y.broker AND m.topic = y.topic AND s.time_window = y.time_window
    WHERE (f.topic IS NOT NULL OR m.led_partitions > 0) AND y.topic IS NULL
    GROUP BY m.cluster, m.broker, s.time_window, m.kind, m.to_sweep, m.group_id, m.member_id
),

expected AS (
    SELECT
        cluster,
        broker,
        time_window,
        CASE
            WHEN arrivals_per_s * wait_s < 1e-6 THEN try_divide(seconds, wait_s)
            ELSE try_divide(seconds * arrivals_per_s, expm1(least(arrivals_per_s * wait_s, 700)))
        END AS expired,
        CASE
            WHEN arrivals_per_s * wait_s < 1e-6 THEN try_divide(seconds, wait_s)
            ELSE try_divide(seconds * arrivals_per_s, -expm1(-arrivals_per_s * wait_s))
        END AS fetches
    FROM members
)

SELECT
    cluster,
    broker,
    time_window,
    try_cast(try_sum(try_cast(expired AS DECIMAL(28, 9))) AS DOUBLE) AS legal_expired,
    try_cast(try_sum(try_cast(fetches AS DECIMAL(28, 9))) AS DOUBLE) AS legal_fetches
FROM expected
GROUP BY cluster, broker, time_window
