-- How many partitions, threads, directories or nodes showed it at each sweep, of the causes that are detected.
-- in:  availability_detections, cluster_sweeps, cluster_days, red_flags
-- out: one row per cluster, detected cause and sweep of the day; 0 where nothing showed it
WITH causes AS (
    SELECT DISTINCT
        cluster,
        cause
    FROM availability_detections
),

counted AS (
    SELECT
        cluster,
        cause,
        sweep_at,
        CASE
            WHEN cause = 'two_controllers' THEN max(amount)
            WHEN cause = 'no_controller' THEN 1
            WHEN cause = 'unclean_election' THEN max(amount)
            WHEN cause = 'outside' THEN count(DISTINCT broker)
            ELSE greatest(try_sum(amount), count(DISTINCT topic, partition_id), 1)
        END AS amount
    FROM red_flags
    GROUP BY cluster, cause, sweep_at
)

SELECT
    c.cluster,
    c.cause AS chart,
    s.sweep_at AS to_at,
    coalesce(s.previous_sweep, s.sweep_at) AS from_at,
    coalesce(f.amount, if(c.cause = 'two_controllers', 1, 0)) AS amount
FROM causes AS c
INNER JOIN cluster_days AS d ON c.cluster = d.cluster
INNER JOIN cluster_sweeps AS s ON c.cluster = s.cluster AND d.first_sweep <= s.sweep_at
LEFT JOIN counted AS f ON c.cluster = f.cluster AND c.cause = f.cause AND s.sweep_at = f.sweep_at
