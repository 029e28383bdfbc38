-- Bursts that a listener's backlog may not have held, and whether that is proven.
-- out: one row per cluster, broker, listener and interval. send_ms: the median 99 % quantile of the time to send
--      answers to consumers, of two reads or more within aftermath_s. shown_by: what proves or suggests it
WITH aftermaths AS (
    SELECT
        b.cluster,
        b.broker,
        b.to_sweep,
        percentile(r.p99_ms, 0.5) FILTER (WHERE r.read_at <= b.from_at) AS send_ms_before,
        percentile(r.p99_ms, 0.5) FILTER (WHERE r.read_at > b.to_at) AS send_ms_after
    FROM bursts AS b
    INNER JOIN reconnect_storm_thresholds AS t ON b.cluster = t.cluster
    INNER JOIN consumer_fetch_times AS r ON b.cluster = r.cluster AND b.broker = r.broker
    WHERE
        r.phase = 'ResponseSendTimeMs' AND r.p99_ms IS NOT NULL
        AND NOT (r.read_at > b.from_at AND r.read_at <= b.to_at)
        AND abs(
            unix_micros(r.read_at) - unix_micros(CASE WHEN r.read_at > b.to_at THEN b.to_at ELSE b.from_at END)
        ) <= 1000000 * t.aftermath_s
    GROUP BY b.cluster, b.broker, b.to_sweep
    HAVING
        count(DISTINCT CASE WHEN r.read_at > b.to_at THEN r.read_at END) >= 2
        AND count(DISTINCT CASE WHEN r.read_at <= b.from_at THEN r.read_at END) >= 2
),

judged AS (
    SELECT
        b.*,
        f.flood_lines,
        f.flood_from,
        f.flood_to,
        a.send_ms_before,
        a.send_ms_after,
        t.burst_s AS longest_s,
        t.min_history,
        t.min_backlogs * b.backlog AS capacity,
        b.cause != 'auth_failures' AS is_crowd,
        b.host_read AND b.overflows = 0 AS host_flat,
        -- what was held before is known, and the new connections stay: no churn that merely has no history yet
        (b.kind = 'sweeps' OR b.held_before IS NOT NULL)
        AND (b.intervals_known >= t.min_history OR b.held >= 0.5 * b.created) AS sound,
        coalesce(
            a.send_ms_after >= t.slow_factor * a.send_ms_before AND a.send_ms_after - a.send_ms_before >= t.slow_ms,
            FALSE
        ) AS slow,
        CASE
            WHEN NOT is_crowd THEN 'failed'
            WHEN b.together_by_kernel > 0 AND b.burst_s <= t.burst_s THEN 'kernel'
            WHEN f.flood_lines > 0 AND b.burst_s <= t.burst_s THEN 'kernel_log'
            WHEN b.cause = 'deploy' OR host_flat OR NOT b.backlog_known OR NOT sound THEN NULL
            WHEN b.held_back > capacity AND b.burst_s <= t.burst_s THEN 'held_back'
        END AS proof,
        CASE
            WHEN b.held_back > capacity THEN 'held_back'
            WHEN b.together_by_rate > capacity THEN 'rate'
            WHEN b.cause = 'deploy' THEN NULL
            WHEN b.together_by_acceptor > 0 THEN 'acceptor'
            WHEN slow THEN 'slow'
        END AS hint
    FROM bursts AS b
    INNER JOIN reconnect_storm_thresholds AS t ON b.cluster = t.cluster
    LEFT JOIN aftermaths AS a ON b.cluster = a.cluster AND b.broker = a.broker AND b.to_sweep = a.to_sweep
    LEFT JOIN floods AS f
        ON b.cluster = f.cluster AND b.broker = f.broker AND b.listener = f.listener AND b.to_sweep = f.to_sweep
)

SELECT
    j.cluster,
    j.cause,
    j.broker,
    j.listener,
    j.kind,
    j.to_sweep,
    j.from_at,
    j.to_at,
    j.created,
    j.held,
    j.held_before,
    j.score,
    j.burst_s,
    j.host_read,
    j.somaxconn,
    j.send_ms_before,
    j.send_ms_after,
    j.flood_lines,
    j.flood_from,
    j.flood_to,
    h.listen_overflows,
    h.listen_drops,
    h.syncookies_sent,
    h.tcp_syncookies,
    h.tcp_max_syn_backlog,
    h.unscaled_connections,
    h.from_bare_connections,
    if(j.proof IS NULL, 'suggestive', 'conclusive') AS strength,
    coalesce(j.proof, j.hint) AS shown_by,
    round(j.usual, 1) AS usual,
    -- Little's law: held = rate * lifetime
    try_divide(j.held * j.burst_s, j.created) AS lifetime_s,
    j.blocked_ns / 1e6 AS blocked_ms,
    CASE WHEN j.is_crowd THEN j.together END AS together,
    CASE WHEN j.is_crowd THEN j.held_back END AS held_back,
    CASE WHEN j.is_crowd THEN j.kept END AS needed,
    CASE WHEN j.is_crowd THEN j.backlog END AS backlog,
    CASE WHEN NOT j.is_crowd THEN j.failed_authentications END AS failed,
    -- a restart closed all that were there before
    CASE
        WHEN j.is_crowd AND h.syncookies_sent > 0 AND h.bare_connections IS NOT NULL
            THEN greatest(0, h.bare_connections - if(j.cause = 'restart', 0, coalesce(h.from_bare_connections, 0)))
    END AS crippled,
    CASE WHEN j.cause = 'leader_move' THEN j.leaders_gained END AS leaders_gained,
    row_number() OVER (
        PARTITION BY j.cluster
        ORDER BY
            j.proof IS NULL ASC, j.together DESC, j.kept DESC, j.to_at DESC, j.broker ASC, j.listener ASC
    ) AS ordinal
FROM judged AS j
LEFT JOIN host_counters AS h ON j.cluster = h.cluster AND j.broker = h.broker AND j.to_sweep = h.to_sweep
WHERE
    (NOT j.is_crowd OR j.kept > j.capacity)
    AND (
        j.proof IS NOT NULL
        OR (
            j.hint IS NOT NULL
            AND j.burst_s <= j.longest_s
            AND (j.cause != 'deploy' OR j.intervals_known >= j.min_history)
        )
    )
