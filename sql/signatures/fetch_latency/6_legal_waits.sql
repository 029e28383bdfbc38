-- Expiries that a healthy broker would show too, from the arrival rates of what each group member reads.
-- A waiting fetch sees no arrival with probability exp(-rate * wait) (Poisson arrivals), so a reader's fetches expire
-- rate / (exp(rate * wait) - 1) times per s, which is 1 / wait for an idle one.
-- out: one row per cluster, broker and window: expiries, and fetches (each arrival ends one, too); null where no
--      member reads here. delayed_members can wait here for nothing but what is read from it as a follower
WITH sessions AS (
    SELECT
        m.cluster,
        m.broker,
        m.group_id,
        m.member_id,
        s.time_window,
        max(s.wait_s) AS wait_s,
        max(m.seconds) AS seconds,
        min(m.topic) AS first_topic,
        max(m.topic) AS last_topic,
        max(coalesce(x.followed, FALSE)) AS followed,
        -- sums are decimal: the same to the last bit however the rows are spread over cores
        try_cast(
            try_sum(
                try_cast(if(x.followed, m.hosted_arrivals_per_s, m.led_arrivals_per_s) AS DECIMAL(28, 9))
            ) FILTER (WHERE NOT coalesce(x.bypassed, FALSE) AND (m.led_partitions > 0 OR x.followed)) AS DOUBLE
        ) AS arrivals_per_s
    FROM reader_sessions AS m
    INNER JOIN fetch_spans AS s
        ON m.cluster = s.cluster AND m.broker = s.broker AND m.to_sweep = s.to_sweep AND m.kind = s.kind
    LEFT JOIN topic_windows AS x
        ON m.cluster = x.cluster AND m.broker = x.broker AND m.topic = x.topic AND s.time_window = x.time_window
    GROUP BY m.cluster, m.broker, m.group_id, m.member_id, s.time_window, m.kind, m.to_sweep
),

members AS (
    SELECT
        cluster,
        broker,
        time_window,
        try_sum(try_cast(seconds * arrivals_per_s AS DECIMAL(28, 9))) AS arrived,
        try_sum(
            try_cast(
                if(
                    arrivals_per_s * wait_s < 1e-6,
                    try_divide(seconds, wait_s),
                    try_divide(seconds * arrivals_per_s, expm1(least(arrivals_per_s * wait_s, 700)))
                ) AS DECIMAL(28, 9)
            )
        ) AS expired,
        -- with an idle topic, too, it may wait for that: a consumer that holds records of one asks for the others alone
        min(first_topic) = max(last_topic) AND max(followed) AS is_delayed
    FROM sessions
    GROUP BY cluster, broker, time_window, group_id, member_id
)

SELECT
    cluster,
    broker,
    time_window,
    try_cast(try_sum(expired) AS DOUBLE) AS legal_expired,
    try_cast(try_sum(expired) AS DOUBLE) + try_cast(try_sum(arrived) AS DOUBLE) AS legal_fetches,
    count_if(is_delayed) AS delayed_members
FROM members
GROUP BY cluster, broker, time_window
