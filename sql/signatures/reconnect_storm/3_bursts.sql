-- Intervals with far more new connections than usual, what set them off, and how many of them came together.
-- in:  connection_spans, connection_baselines
-- out: one row per cluster, broker, listener and interval beyond min_score. kept: new connections beyond the usual that
--      were open together at the end, at most. together: so many of them waited, or came within one window, at least.
--      held_back: so many came, at the mean rate of the burst, while the acceptor waited; null where that was not read.
WITH scored AS (
    SELECT
        s.cluster,
        s.broker,
        s.listener,
        s.kind,
        s.from_sweep,
        s.to_sweep,
        s.from_at,
        s.to_at,
        s.seconds,
        s.process_seconds,
        s.processors,
        s.held,
        s.held_before,
        s.created,
        s.failed_authentications,
        s.blocked_ns,
        s.leaders,
        s.leaders_gained,
        s.backlog_known,
        s.backlog,
        s.somaxconn,
        s.listen_overflows,
        s.listen_drops,
        s.syncookies_sent,
        s.tcp_syncookies,
        s.tcp_max_syn_backlog,
        s.host_read,
        s.overflows,
        s.internal,
        s.burst_s,
        b.interval_count AS intervals_known,
        b.rate * s.seconds AS usual,
        greatest(0, floor(s.created - b.rate * s.seconds)) AS surplus,
        (s.created - b.rate * s.seconds)
        / greatest(1.0D, sqrt(b.rate * s.seconds), 1.4826D * b.mad * s.seconds) AS score
    FROM connection_spans AS s
    INNER JOIN connection_baselines AS b ON s.cluster = b.cluster AND s.broker = b.broker AND s.listener = b.listener
),

caused AS (
    SELECT
        *,
        least(surplus, held) AS kept,
        CASE
            WHEN
                failed_authentications >= :min_failed AND failed_authentications >= :min_failed_share * created
                THEN 'auth_failures'
            WHEN kind = 'start' THEN 'restart'
            WHEN leaders_gained >= greatest(1, :min_moved_share * leaders) THEN 'leader_move'
            WHEN process_seconds - seconds <= :restart_s THEN 'restart'
            WHEN NOT internal THEN 'deploy'
        END AS cause
    FROM scored
    WHERE score >= :min_score
),

-- n connections over k windows: one window has n / k of them or more
windowed AS (
    SELECT
        *,
        ceil(kept / greatest(1, ceil(burst_s / :window_s))) AS together_by_rate,
        -- the acceptor waits only when every network processor has its queue of 20 new connections full
        CASE
            WHEN blocked_ns >= 1e6 * :min_blocked_ms AND kept > 20 * processors THEN 20 * processors + 1
            ELSE 0
        END AS together_by_acceptor,
        CASE
            WHEN blocked_ns IS NOT NULL THEN floor(try_divide(kept * least(blocked_ns / 1e9, burst_s), burst_s))
        END AS held_back,
        -- the kernel overflows only when more than the backlog wait at once
        CASE WHEN host_read AND overflows >= :min_overflows THEN backlog + 1 ELSE 0 END AS together_by_kernel
    FROM caused
    WHERE cause IS NOT NULL
)

SELECT
    *,
    greatest(together_by_rate, together_by_acceptor, held_back, least(kept, together_by_kernel)) AS together
FROM windowed
