-- Whether metadata, log ends and the length of the day suffice to call an in-sync set frozen.
-- in:  cluster_days, broker_days, isr_held, isr_stagnation_thresholds
-- out: two rows per cluster; one per broker, or one without a broker where none is known; one per follower that was out
--      of in-sync sets while log ends were not read
WITH days AS (
    SELECT
        c.cluster,
        c.sweep_count,
        t.min_sweeps,
        t.min_coverage,
        t.min_frozen_s,
        c.admin_ok + c.admin_partial AS with_metadata,
        (unix_micros(c.last_sweep) - unix_micros(c.first_sweep)) / 1e6D AS seconds
    FROM cluster_days AS c
    INNER JOIN isr_stagnation_thresholds AS t ON c.cluster = t.cluster
),

-- a follower that was listed and not read: whether it is frozen or far behind cannot be told
unread AS (
    SELECT
        h.cluster,
        h.follower
    FROM isr_held AS h
    INNER JOIN isr_stagnation_thresholds AS t ON h.cluster = t.cluster
    WHERE h.held_as = 'unread'
    GROUP BY h.cluster, h.follower, h.partition, h.topic, t.min_frozen_s
    HAVING try_cast(try_sum(try_cast(h.seconds AS DECIMAL(28, 9))) AS DOUBLE) >= t.min_frozen_s
)

SELECT
    d.cluster,
    n.need,
    NULL AS broker,
    CASE
        WHEN n.need = 'duration' THEN d.seconds >= d.min_frozen_s
        ELSE d.with_metadata >= d.min_sweeps AND try_divide(d.with_metadata, d.sweep_count) >= d.min_coverage
    END AS is_met,
    NULL AS reason,
    d.seconds AS amount
FROM days AS d
CROSS JOIN (VALUES ('metadata'), ('duration')) AS n (need)
UNION ALL
SELECT
    d.cluster,
    'log_ends' AS need,
    b.broker,
    coalesce(b.ok_reads + b.partial_reads >= d.min_sweeps, FALSE) AS is_met,
    CASE WHEN b.cluster IS NULL THEN 'no_broker' END AS reason,
    NULL AS amount
FROM days AS d
LEFT JOIN broker_days AS b ON d.cluster = b.cluster AND b.is_broker
WHERE b.cluster IS NULL OR d.with_metadata >= d.min_sweeps
UNION ALL
SELECT
    cluster,
    'followers' AS need,
    follower AS broker,
    FALSE AS is_met,
    NULL AS reason,
    count(*) AS amount
FROM unread
GROUP BY cluster, follower
