-- Followers that are behind, or do not fetch, and come no nearer, over consecutive sweeps.
-- in:  isr_held
-- out: one row per partition, follower and streak that lasts without progress; cause catching_up or reassignment
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
    WHERE held_as = 'lagging'
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
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        count(*) + 1 AS sweeps,
        try_sum(records) AS records,
        min_by(from_lag, to_sweep) AS first_lag,
        max_by(lag, to_sweep) AS last_lag,
        max(replica_count) AS replica_count,
        max(isr_count) AS isr_count,
        max_by(leader_isr_count, to_at) AS leader_isr_count,
        CASE WHEN max(is_moved) THEN 'reassignment' ELSE 'catching_up' END AS cause
    FROM numbered
    GROUP BY cluster, topic, partition, leader, follower, streak
)

SELECT *
FROM streaks
WHERE seconds >= :min_lagging_s AND sweeps >= :min_sweeps AND last_lag >= (1 - :min_progress) * first_lag
