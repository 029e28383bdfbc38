-- Bursts that a listener's backlog may not have held, and whether that is proven.
-- in:  bursts, aftermaths
-- out: one row per cluster, broker, listener and interval; proof is null where it is only suggested: hint says by what
WITH joined AS (
    SELECT
        b.cluster,
        b.broker,
        b.listener,
        b.kind,
        b.to_sweep,
        b.from_at,
        b.to_at,
        b.processors,
        b.held,
        b.held_before,
        b.created,
        b.failed_authentications,
        b.blocked_ns,
        b.leaders_gained,
        b.backlog_known,
        b.backlog,
        b.somaxconn,
        b.listen_overflows,
        b.listen_drops,
        b.syncookies_sent,
        b.tcp_syncookies,
        b.tcp_max_syn_backlog,
        b.host_read,
        b.overflows,
        b.burst_s,
        b.intervals_known,
        b.usual,
        b.score,
        b.kept,
        b.cause,
        b.together_by_rate,
        b.together_by_acceptor,
        b.together_by_kernel,
        b.held_back,
        b.together,
        a.send_ms_before,
        a.send_ms_after,
        b.host_read AND b.overflows = 0 AS host_flat,
        -- what was held before is known, and the new connections stay: no churn that merely has no history yet
        (b.kind = 'sweeps' OR b.held_before IS NOT NULL)
        AND (b.intervals_known >= :min_history OR b.held >= 0.5 * b.created) AS sound,
        coalesce(
            a.send_ms_after >= :slow_factor * a.send_ms_before AND a.send_ms_after - a.send_ms_before >= :slow_ms, FALSE
        ) AS slow
    FROM bursts AS b
    LEFT JOIN aftermaths AS a ON b.cluster = a.cluster AND b.broker = a.broker AND b.to_sweep = a.to_sweep
),

judged AS (
    SELECT
        *,
        CASE
            WHEN cause = 'auth_failures' THEN 'failed authentications are counted'
            WHEN together_by_kernel > 0 AND burst_s <= :burst_s THEN 'the kernel counted overflows or SYN cookies'
            WHEN cause = 'deploy' OR host_flat OR NOT backlog_known OR NOT sound THEN NULL
            WHEN held_back > :min_backlogs * backlog AND burst_s <= :burst_s
                THEN 'more came while the acceptor waited than the backlog holds'
        END AS proof,
        CASE
            WHEN held_back > :min_backlogs * backlog THEN 'more came while the acceptor waited than the backlog holds'
            WHEN together_by_rate > :min_backlogs * backlog THEN 'more came within each window than the backlog holds'
            WHEN cause = 'deploy' THEN NULL
            WHEN together_by_acceptor > 0 THEN 'the acceptor waited with its queues full'
            WHEN slow THEN 'answers take longer to send since then'
        END AS hint
    FROM joined
    WHERE cause = 'auth_failures' OR kept > :min_backlogs * backlog
)

SELECT
    *,
    CASE WHEN proof IS NULL THEN 'suggestive' ELSE 'conclusive' END AS strength
FROM judged
WHERE
    proof IS NOT NULL
    OR (
        hint IS NOT NULL
        AND burst_s <= :burst_s
        AND (cause != 'deploy' OR intervals_known >= :min_history)
    )
