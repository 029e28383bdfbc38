-- Followers that are caught up and stay out of the in-sync set, over consecutive sweeps.
-- in:  isr_held
-- out: one row per partition, follower and streak that lasts; is_proven where the frozen intervals alone last as long,
--      or with those in which the leader expanded sets, when it can hardly have been this one each time
WITH marked AS (
    SELECT
        *,
        CASE
            WHEN
                lag(to_sweep) OVER (PARTITION BY cluster, topic, partition, follower ORDER BY to_sweep) = from_sweep
                THEN 0
            ELSE 1
        END AS begins
    FROM isr_held
    WHERE held_as IN ('frozen', 'idle', 'unproven', 'expanding')
),

numbered AS (
    SELECT
        *,
        try_sum(begins) OVER (PARTITION BY cluster, topic, partition, follower ORDER BY to_sweep) AS streak
    FROM marked
),

streaks AS (
    SELECT
        cluster,
        topic,
        partition,
        leader,
        follower,
        try_cast(try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS DOUBLE) AS seconds,
        try_cast(
            try_sum(CASE WHEN held_as = 'frozen' THEN try_cast(seconds AS DECIMAL(28, 9)) ELSE 0 END) AS DOUBLE
        ) AS frozen_seconds,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        count(*) + 1 AS sweeps,
        count_if(held_as = 'frozen') + 1 AS frozen_sweeps,
        try_cast(
            try_sum(
                CASE WHEN held_as IN ('frozen', 'expanding') THEN try_cast(seconds AS DECIMAL(28, 9)) ELSE 0 END
            ) AS DOUBLE
        ) AS held_seconds,
        count_if(held_as IN ('frozen', 'expanding')) + 1 AS held_sweeps,
        try_cast(
            try_sum(CASE WHEN held_as = 'expanding' THEN try_cast(ln(chance) AS DECIMAL(28, 9)) ELSE 0 END) AS DOUBLE
        ) AS log_chance,
        try_sum(records) AS records,
        max(greatest(lag, fetcher_lag, 0)) AS lag,
        try_sum(isr_expands) AS isr_expands,
        try_sum(failed_isr_updates) AS failed_isr_updates,
        max(leader_replicas) AS leader_replicas,
        max(is_preferred) AS is_preferred,
        max(replica_count) AS replica_count,
        max(isr_count) AS isr_count,
        max_by(leader_isr_count, to_at) AS leader_isr_count
    FROM numbered
    GROUP BY cluster, topic, partition, leader, follower, streak
)

SELECT
    *,
    (frozen_seconds >= :min_frozen_s AND frozen_sweeps >= :min_sweeps)
    OR (held_seconds >= :min_frozen_s AND held_sweeps >= :min_sweeps AND log_chance <= ln(:max_chance)) AS is_proven
FROM streaks
WHERE seconds >= :min_frozen_s AND sweeps >= :min_sweeps
