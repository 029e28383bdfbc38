-- Brokers that came back from a restart, are in sync, and do not get their leaderships back although the controller is
-- set to return them.
-- in:  preferred_leads, intervals, config_days
-- out: one row per broker and streak that lasts
WITH settings AS (
    SELECT
        cluster,
        min(CASE WHEN name = 'auto.leader.rebalance.enable' THEN config_value END) AS is_returning,
        max(
            CASE WHEN name = 'leader.imbalance.per.broker.percentage' THEN try_cast(config_value AS DOUBLE) END
        ) AS allowed_percent,
        max(
            CASE WHEN name = 'leader.imbalance.check.interval.seconds' THEN try_cast(config_value AS DOUBLE) END
        ) AS check_s
    FROM config_days
    GROUP BY cluster
),

began AS (
    SELECT
        cluster,
        broker,
        min(from_at) AS process_start
    FROM intervals
    WHERE kind = 'start'
    GROUP BY cluster, broker
),

away AS (
    SELECT
        p.*,
        s.check_s,
        CASE
            WHEN
                lag(p.to_sweep) OVER (PARTITION BY p.cluster, p.broker ORDER BY p.to_sweep) = p.from_sweep
                THEN 0
            ELSE 1
        END AS begins
    FROM preferred_leads AS p
    INNER JOIN settings AS s ON p.cluster = s.cluster
    INNER JOIN began AS b ON p.cluster = b.cluster AND p.broker = b.broker AND p.from_at >= b.process_start
    WHERE
        array_contains(:clusters, p.cluster)
        AND p.seconds > 0
        AND p.same_process
        AND s.is_returning = 'true'
        AND p.from_away > p.partition_count * greatest(:min_away_share, coalesce(s.allowed_percent, 10) / 100)
        -- nothing was given back in the meantime
        AND p.away >= p.from_away
),

numbered AS (
    SELECT
        *,
        try_sum(begins) OVER (PARTITION BY cluster, broker ORDER BY to_sweep) AS streak
    FROM away
),

streaks AS (
    SELECT
        cluster,
        broker,
        try_cast(try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS DOUBLE) AS seconds,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        count(*) + 1 AS sweeps,
        max_by(away, to_sweep) AS away,
        max_by(partition_count, to_sweep) AS partition_count,
        max(check_s) AS check_s
    FROM numbered
    GROUP BY cluster, broker, streak
)

SELECT *
FROM streaks
WHERE seconds >= greatest(:min_away_s, 3 * coalesce(check_s, 300)) AND sweeps >= :min_sweeps
