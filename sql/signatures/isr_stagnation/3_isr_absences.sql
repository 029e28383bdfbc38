-- Brokers that the cluster does not list, over consecutive sweeps, while partitions go on without them.
-- in:  absent_replicas
-- out: one row per broker and streak that lasts
WITH marked AS (
    SELECT
        *,
        CASE
            WHEN lag(to_sweep) OVER (PARTITION BY cluster, broker ORDER BY to_sweep) = from_sweep THEN 0
            ELSE 1
        END AS begins
    FROM absent_replicas
    WHERE array_contains(:clusters, cluster) AND seconds > 0
),

numbered AS (
    SELECT
        *,
        try_sum(begins) OVER (PARTITION BY cluster, broker ORDER BY to_sweep) AS streak
    FROM marked
),

streaks AS (
    SELECT
        cluster,
        broker,
        streak,
        try_cast(try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS DOUBLE) AS seconds,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        count(*) + 1 AS sweeps,
        max(partition_count) AS partition_count
    FROM numbered
    GROUP BY cluster, broker, streak
)

SELECT *
FROM streaks
WHERE seconds >= :min_dead_s AND sweeps >= :min_sweeps
