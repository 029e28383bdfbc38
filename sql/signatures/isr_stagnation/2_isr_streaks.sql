-- Followers that stay out of an in-sync set over consecutive sweeps: caught up, or behind and coming no nearer.
-- out: one row per partition, leader, follower and streak that lasts; cause frozen, catching_up or reassignment.
--      Conclusive where the frozen intervals alone last as long, or with those in which the leader expanded sets, when
--      these can hardly have been this one each time. lag: the largest of a frozen streak, else the last
WITH waits AS (
    SELECT
        *,
        held_as = 'lagging' AS is_behind,
        try_cast(seconds AS DECIMAL(28, 9)) AS exact_s,
        -- the same of intervals that follow each other: what their own length leaves of the time
        unix_micros(to_sweep) - 1D * try_sum(unix_micros(to_sweep) - unix_micros(from_sweep)) OVER (
            PARTITION BY cluster, topic, partition, follower, held_as = 'lagging' ORDER BY to_sweep
        ) AS streak
    FROM isr_held
    WHERE held_as IN ('frozen', 'idle', 'unproven', 'expanding', 'lagging')
),

streaks AS (
    SELECT
        w.cluster,
        w.topic,
        w.partition,
        w.leader,
        w.follower,
        w.is_behind,
        try_cast(try_sum(w.exact_s) AS DOUBLE) AS seconds,
        try_cast(try_sum(if(w.held_as = 'frozen', w.exact_s, 0)) AS DOUBLE) AS frozen_seconds,
        try_cast(try_sum(if(w.held_as IN ('frozen', 'expanding'), w.exact_s, 0)) AS DOUBLE) AS held_seconds,
        min(w.from_at) AS from_at,
        max(w.to_at) AS to_at,
        count(*) + 1 AS sweeps,
        count_if(w.held_as = 'frozen') + 1 AS frozen_sweeps,
        count_if(w.held_as IN ('frozen', 'expanding')) + 1 AS held_sweeps,
        count_if(w.held_as = 'unproven') AS unproven_sweeps,
        -- that an expansion of this very set fell so near to each of the reads that the follower looks left out
        try_sum(
            try_cast(ln(least(1D, try_divide(nullif(w.isr_expands, 0) * t.settle_s, w.seconds))) AS DECIMAL(28, 9))
        ) FILTER (WHERE w.held_as = 'expanding') AS log_chance,
        try_sum(w.records) AS records,
        if(w.is_behind, max_by(w.lag, w.to_sweep), max(greatest(w.lag, w.fetcher_lag, 0))) AS lag,
        min_by(w.from_lag, w.to_sweep) AS first_lag,
        if(w.is_behind, NULL, try_sum(w.isr_expands)) AS isr_expands,
        if(w.is_behind, NULL, try_sum(w.failed_isr_updates)) AS failed_isr_updates,
        if(w.is_behind, NULL, max(w.leader_replicas)) AS leader_replicas,
        max(w.is_preferred) AS is_preferred,
        max(w.replica_count) AS replica_count,
        max(w.isr_count) AS isr_count,
        max_by(w.leader_isr_count, w.to_at) AS leader_isr_count,
        CASE WHEN NOT w.is_behind THEN 'frozen' WHEN max(w.is_moved) THEN 'reassignment' ELSE 'catching_up' END AS cause
    FROM waits AS w
    INNER JOIN isr_stagnation_thresholds AS t ON w.cluster = t.cluster
    GROUP BY w.cluster, w.topic, w.partition, w.leader, w.follower, w.is_behind, w.streak
)

SELECT
    s.*,
    if(
        (s.frozen_seconds >= t.min_frozen_s AND s.frozen_sweeps >= t.min_sweeps)
        OR (s.held_seconds >= t.min_frozen_s AND s.held_sweeps >= t.min_sweeps AND s.log_chance <= ln(t.max_chance)),
        'conclusive',
        'suggestive'
    ) AS strength
FROM streaks AS s
INNER JOIN isr_stagnation_thresholds AS t ON s.cluster = t.cluster
WHERE
    s.sweeps >= t.min_sweeps
    AND s.seconds >= if(s.is_behind, t.min_lagging_s, t.min_frozen_s)
    AND (NOT s.is_behind OR s.lag >= (1 - t.min_progress) * s.first_lag)
