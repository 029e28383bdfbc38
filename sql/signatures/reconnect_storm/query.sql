-- Did so many clients connect at once that a listener's backlog may not have held them?
-- in:  storms (made of the numbered files beside this one, in their order)
-- out: one row per cluster and cause; numbers are those of the worst storm, signature.yaml has the words
WITH best AS (
    SELECT
        cluster,
        cause,
        min(strength) AS strength
    FROM storms
    GROUP BY cluster, cause
),

-- where any storm of a cause is proven, the row speaks of the proven ones; rows.sql has them all
ranked AS (
    SELECT
        s.*,
        row_number() OVER (
            PARTITION BY s.cluster, s.cause
            ORDER BY s.together DESC, s.kept DESC, s.to_at DESC, s.broker ASC, s.listener ASC
        ) AS place_in_row
    FROM storms AS s
    INNER JOIN best AS b ON s.cluster = b.cluster AND s.cause = b.cause AND s.strength = b.strength
),

placed AS (
    SELECT
        cluster,
        cause,
        broker,
        min(place_in_row) AS place
    FROM ranked
    GROUP BY cluster, cause, broker
),

brokers AS (
    SELECT
        cluster,
        cause,
        transform(array_sort(collect_list(named_struct('place', place, 'broker', broker))), x -> x.broker) AS brokers
    FROM placed
    GROUP BY cluster, cause
),

listeners AS (
    SELECT
        cluster,
        cause,
        slice(sort_array(collect_set(listener)), 1, 4) AS listeners
    FROM ranked
    GROUP BY cluster, cause
)

SELECT
    w.cluster,
    w.cause,
    w.strength,
    w.from_at,
    w.to_at,
    w.created,
    w.held,
    w.held_before,
    w.score,
    w.listen_overflows,
    w.listen_drops,
    w.syncookies_sent,
    w.tcp_syncookies,
    w.somaxconn,
    w.tcp_max_syn_backlog,
    w.send_ms_before,
    w.send_ms_after,
    w.burst_s,
    concat('broker ', w.broker, ', listener ', w.listener) AS place,
    concat(
        transform(slice(b.brokers, 1, 15), x -> concat('broker ', x)),
        transform(l.listeners, x -> concat('listener ', x)),
        if(size(b.brokers) > 15, array(concat('and ', size(b.brokers) - 15, ' more brokers')), array())
    ) AS subjects,
    if(
        w.cause = 'auth_failures',
        NULL,
        named_struct(
            'backlog_in_force', w.backlog,
            'together_at_least', w.together,
            'together_at_most', w.kept,
            'backlog_needed_at_most', w.kept
        )
    ) AS bounds,
    round(w.usual, 1) AS usual,
    -- Little's law: held = rate * lifetime
    try_divide(w.held * w.burst_s, w.created) AS lifetime_s,
    CASE WHEN w.cause != 'auth_failures' THEN w.together END AS together,
    CASE WHEN w.cause != 'auth_failures' THEN w.held_back END AS held_back,
    CASE WHEN w.cause != 'auth_failures' THEN w.kept END AS needed,
    CASE WHEN w.cause != 'auth_failures' THEN w.backlog END AS backlog,
    CASE WHEN w.cause = 'auth_failures' THEN w.failed_authentications END AS failed,
    w.blocked_ns / 1e6 AS blocked_ms,
    CASE WHEN w.cause = 'leader_move' THEN w.leaders_gained END AS leaders_gained
FROM ranked AS w
INNER JOIN brokers AS b ON w.cluster = b.cluster AND w.cause = b.cause
INNER JOIN listeners AS l ON w.cluster = l.cluster AND w.cause = l.cause
WHERE w.place_in_row = 1
ORDER BY w.cluster, w.cause
