-- How full the volume of each broker's log directories was at the moments that its growth is measured from and to.
-- in:  raw_disks: of the day, and of each cluster's last sweep of the seven days before
-- out: one row per volume, spacing and moment. days: the last read of each day; thirds: the first and the last read of
--      each third of the time since the last sweep before the day. Directories that have the same size and had the
--      same room, to a thousandth of the size, at the first moment and the last are of one volume
WITH spans AS (
    SELECT
        cluster,
        broker,
        max(sweep_at) AS last_sweep,
        coalesce(max(sweep_at) FILTER (WHERE to_date(sweep_at) < :ds), min(sweep_at)) AS first_sweep
    FROM raw_disks
    GROUP BY cluster, broker
    HAVING to_date(max(sweep_at)) = :ds
),

directories AS (
    SELECT
        d.*,
        coalesce(
            d.usable_bytes - lag(d.usable_bytes) OVER alike <= d.total_bytes / 1000
            AND coalesce(abs(e.usable_bytes - lag(e.usable_bytes) OVER alike) <= d.total_bytes / 1000, TRUE),
            FALSE
        ) AS is_shared
    FROM raw_disks AS d
    INNER JOIN spans AS s ON d.cluster = s.cluster AND d.broker = s.broker AND d.sweep_at = s.last_sweep
    LEFT JOIN raw_disks AS e
        ON d.cluster = e.cluster AND d.broker = e.broker AND d.log_dir = e.log_dir AND s.first_sweep = e.sweep_at
    WHERE d.total_bytes > 0 AND d.usable_bytes IS NOT NULL
    WINDOW alike AS (PARTITION BY d.cluster, d.broker, d.total_bytes ORDER BY d.usable_bytes, d.log_dir)
),

numbered AS (
    SELECT
        *,
        count_if(NOT is_shared) OVER alike AS volume_number
    FROM directories
    WINDOW alike AS (PARTITION BY cluster, broker, total_bytes ORDER BY usable_bytes, log_dir)
),

volumes AS (
    SELECT
        cluster,
        broker,
        min(log_dir) AS log_dir,
        count(*) AS log_dirs
    FROM numbered
    GROUP BY cluster, broker, total_bytes, volume_number
),

reads AS (
    SELECT
        d.*,
        v.log_dirs,
        s.first_sweep,
        d.total_bytes - d.usable_bytes AS used_bytes,
        -- 0 to 2; of earlier days below 0
        least(
            2,
            floor(
                try_divide(
                    3 * (unix_micros(d.sweep_at) - unix_micros(s.first_sweep)),
                    unix_micros(s.last_sweep) - unix_micros(s.first_sweep)
                )
            )
        ) AS third,
        lag(d.total_bytes - d.usable_bytes) OVER (
            PARTITION BY d.cluster, d.broker, d.log_dir, d.sweep_at >= s.first_sweep
            ORDER BY d.sweep_at
        ) - (d.total_bytes - d.usable_bytes) AS fall
    FROM raw_disks AS d
    INNER JOIN volumes AS v ON d.cluster = v.cluster AND d.broker = v.broker AND d.log_dir = v.log_dir
    INNER JOIN spans AS s ON d.cluster = s.cluster AND d.broker = s.broker
    WHERE d.total_bytes > 0 AND d.usable_bytes IS NOT NULL
),

chosen AS (
    SELECT
        *,
        greatest(0, max(if(sweep_at > first_sweep, fall, 0)) OVER volume) AS largest_fall_bytes,
        max(sweep_at) OVER (PARTITION BY cluster, broker, log_dir, to_date(sweep_at)) = sweep_at AS of_days,
        sweep_at = first_sweep
        OR (sweep_at > first_sweep AND sweep_at = max(sweep_at) OVER (PARTITION BY cluster, broker, log_dir, third))
            AS of_thirds
    FROM reads
    WINDOW volume AS (PARTITION BY cluster, broker, log_dir)
)

SELECT
    cluster,
    broker,
    log_dir,
    log_dirs,
    read_at,
    total_bytes,
    used_bytes,
    largest_fall_bytes,
    if(chosen_by = 'of_days', 'days', 'thirds') AS spacing,
    lag(read_at) OVER points AS from_read_at,
    lag(total_bytes) OVER points AS from_total_bytes,
    lag(used_bytes) OVER points AS from_used_bytes
FROM chosen
    UNPIVOT (is_chosen FOR chosen_by IN (of_days, of_thirds))
WHERE is_chosen
WINDOW points AS (PARTITION BY cluster, broker, log_dir, chosen_by ORDER BY read_at)
