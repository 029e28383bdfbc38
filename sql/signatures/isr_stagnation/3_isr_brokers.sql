-- Brokers that the cluster does not list while partitions go on without them, and those that are back from a restart
-- and in sync and do not get their leaderships although the controller is set to return them, over consecutive sweeps.
-- out: one row per broker and streak that lasts; cause dead_broker, or frozen with away: leaderships at its end
WITH settings AS (
    SELECT
        cluster,
        max(if(name = 'leader.imbalance.per.broker.percentage', try_cast(config_value AS DOUBLE), NULL)) AS percentage,
        max(if(name = 'leader.imbalance.check.interval.seconds', try_cast(config_value AS DOUBLE), NULL)) AS check_s
    FROM broker_settings
    GROUP BY cluster
    HAVING min(if(name = 'auto.leader.rebalance.enable', config_value, NULL)) = 'true'
),

started AS (
    SELECT
        cluster,
        broker,
        min(from_at) AS began_at
    FROM broker_intervals
    WHERE kind = 'start'
    GROUP BY cluster, broker
),

missed AS (
    SELECT
        a.*,
        t.min_sweeps,
        if(a.is_listed, 'frozen', 'dead_broker') AS cause,
        if(a.is_listed, greatest(t.min_away_s, 3 * coalesce(s.check_s, 300)), t.min_dead_s) AS min_s
    FROM broker_assignments AS a
    INNER JOIN isr_stagnation_thresholds AS t ON a.cluster = t.cluster
    LEFT JOIN settings AS s ON a.cluster = s.cluster
    LEFT JOIN started AS i ON a.cluster = i.cluster AND a.broker = i.broker
    WHERE
        NOT a.is_listed
        OR (
            s.cluster IS NOT NULL
            AND i.began_at <= a.from_sweep
            AND a.same_process
            AND a.from_away > a.partition_count * greatest(t.min_away_share, coalesce(s.percentage, 10) / 100)
            -- nothing was given back in the meantime
            AND a.away >= a.from_away
        )
),

numbered AS (
    SELECT
        *,
        -- the same of intervals that follow each other: what their own length leaves of the time
        unix_micros(to_sweep) - 1D * try_sum(unix_micros(to_sweep) - unix_micros(from_sweep)) OVER (
            PARTITION BY cluster, cause, broker ORDER BY to_sweep
        ) AS streak
    FROM missed
)

SELECT
    cluster,
    cause,
    broker,
    min(from_sweep) AS from_at,
    max(to_sweep) AS to_at,
    (unix_micros(max(to_sweep)) - unix_micros(min(from_sweep))) / 1e6D AS seconds,
    if(cause = 'dead_broker', max(partition_count), NULL) AS partition_count,
    max_by(away, to_sweep) AS away,
    try_divide(max_by(away, to_sweep), max_by(partition_count, to_sweep)) AS away_share
FROM numbered
GROUP BY cluster, cause, broker, streak, min_sweeps, min_s
HAVING seconds >= min_s AND count(*) + 1 >= min_sweeps
