-- In how many days is each volume full, if what retention will delete, and what only moves, is taken off?
-- in:  volume_growth, log_growth, replica_disk_thresholds
-- out: one row per volume. Logs are known by broker: a volume has the share of them that it has of the broker's growth.
--      What retention limits grows by to_come, a fifth more to be safe; compacted topics and those that are kept for
--      ever (lasting) go on, as files do that are no logs (foreign). What replicas fetch to catch up is no pace
WITH logs AS (
    SELECT
        cluster,
        broker,
        try_divide(try_sum(moved_bytes), max(seconds)) AS moving,
        try_divide(try_sum(grown_bytes), max(seconds)) AS growing,
        try_divide(
            try_sum(if(unlimited_partitions > 0, greatest(0, try_subtract(grown_bytes, moved_bytes)), 0)), max(seconds)
        ) AS lasting,
        1.2D * try_add(try_sum(to_come_bytes), try_sum(behind_bytes)) AS to_come_bytes
    FROM log_growth
    GROUP BY cluster, broker
)

SELECT
    v.cluster,
    v.broker,
    v.log_dir,
    v.total_bytes,
    v.usable_bytes,
    v.from_at,
    v.to_at,
    v.measured_s / 3600 AS measured_hours,
    1 - try_divide(v.usable_bytes, v.total_bytes) AS used_share,
    -- of the broker's growth
    coalesce(
        try_divide(
            greatest(0D, v.slow),
            try_sum(try_cast(greatest(0D, v.slow) AS DECIMAL(28, 9))) OVER (PARTITION BY v.cluster, v.broker)
        ),
        0D
    ) AS own_share,
    v.slow - own_share * coalesce(l.moving, 0) AS pace,
    greatest(0, v.recent - own_share * l.growing) AS foreign_pace,
    own_share * l.lasting + foreign_pace AS later_pace,
    v.usable_bytes - own_share * l.to_come_bytes AS room_after,
    if(
        pace * v.measured_s >= t.min_growth_share * v.total_bytes AND v.measured_s >= 3600 * t.min_hours,
        try_divide(v.usable_bytes, v.fast) / 86400,
        NULL
    ) AS soonest,
    CASE
        WHEN soonest IS NULL OR (room_after > 0 AND later_pace <= 0) THEN NULL
        WHEN room_after > 0
            THEN greatest(try_divide(v.usable_bytes, pace), try_divide(room_after, later_pace)) / 86400
        ELSE try_divide(v.usable_bytes, pace) / 86400
    END AS latest,
    coalesce(latest <= t.warn_days, FALSE) AS is_filling,
    coalesce(used_share >= t.max_used_share, FALSE) AS is_full,
    v.measured_s < 3600 * t.min_hours AS is_short
FROM volume_growth AS v
INNER JOIN replica_disk_thresholds AS t ON v.cluster = t.cluster
LEFT JOIN logs AS l ON v.cluster = l.cluster AND v.broker = l.broker
