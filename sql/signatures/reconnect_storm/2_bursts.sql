-- Intervals with far more new connections than usual, what set them off, and how many of them came together.
-- out: one row per cluster, broker, listener and interval beyond min_score. usual: by the median of the day, the higher
--      of the broker's own and of all brokers'. kept: new connections beyond the usual that were open together at the
--      end, at most. together: so many of them waited, or came within one window, at least. held_back: so many came, at
--      the mean rate of the burst, while the acceptor waited; null where that was not read
WITH rates AS (
    SELECT
        cluster,
        broker,
        listener,
        kind,
        to_sweep,
        from_at,
        to_at,
        seconds,
        process_seconds,
        processors,
        held,
        held_before,
        created,
        failed_authentications,
        blocked_ns,
        leaders,
        leaders_gained,
        somaxconn,
        internal,
        backlog,
        backlog_known,
        host_read,
        overflows,
        burst_s,
        CASE WHEN kind = 'sweeps' THEN try_divide(created, seconds) END AS rate
    FROM connection_spans
),

medians AS (
    SELECT
        *,
        percentile(rate, 0.5) OVER (PARTITION BY cluster, broker, listener) AS own_rate,
        percentile(rate, 0.5) OVER (PARTITION BY cluster, listener) AS pooled_rate,
        count_if(kind = 'sweeps') OVER (PARTITION BY cluster, listener) AS intervals_known
    FROM rates
),

baselines AS (
    SELECT
        *,
        seconds * coalesce(greatest(own_rate, pooled_rate), 0.0D) AS usual,
        -- the median absolute deviation, of a normal distribution's standard deviation
        1.4826D * seconds * coalesce(
            greatest(
                percentile(abs(rate - own_rate), 0.5) OVER (PARTITION BY cluster, broker, listener),
                percentile(abs(rate - pooled_rate), 0.5) OVER (PARTITION BY cluster, listener)
            ), 0.0D
        ) AS deviation
    FROM medians
),

caused AS (
    SELECT
        b.*,
        (b.created - b.usual) / greatest(1.0D, sqrt(b.usual), b.deviation) AS score,
        least(greatest(0, floor(b.created - b.usual)), b.held) AS kept,
        CASE
            WHEN
                b.failed_authentications >= t.min_failed AND b.failed_authentications >= t.min_failed_share * b.created
                THEN 'auth_failures'
            WHEN b.kind = 'start' THEN 'restart'
            WHEN b.leaders_gained >= greatest(1, t.min_moved_share * b.leaders) THEN 'leader_move'
            WHEN b.process_seconds - b.seconds <= t.restart_s THEN 'restart'
            WHEN NOT b.internal THEN 'deploy'
        END AS cause,
        -- n connections over k windows: one window has n / k of them or more
        ceil(kept / greatest(1, ceil(try_divide(b.burst_s, t.window_s)))) AS together_by_rate,
        -- the acceptor waits only when every network processor has its queue of 20 new connections full
        if(b.blocked_ns >= 1e6 * t.min_blocked_ms AND kept > 20 * b.processors, 20 * b.processors + 1, 0)
            AS together_by_acceptor,
        if(b.blocked_ns IS NULL, NULL, floor(try_divide(kept * least(b.blocked_ns / 1e9, b.burst_s), b.burst_s)))
            AS held_back,
        -- the kernel overflows only when more than the backlog wait at once
        if(b.host_read AND b.overflows >= t.min_overflows, b.backlog + 1, 0) AS together_by_kernel
    FROM baselines AS b
    INNER JOIN reconnect_storm_thresholds AS t ON b.cluster = t.cluster
    WHERE (b.created - b.usual) / greatest(1.0D, sqrt(b.usual), b.deviation) >= t.min_score
)

SELECT
    * EXCEPT (internal, rate, own_rate, pooled_rate, deviation),
    greatest(together_by_rate, together_by_acceptor, held_back, least(kept, together_by_kernel)) AS together
FROM caused
WHERE cause IS NOT NULL
