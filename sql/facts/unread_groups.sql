-- Sweeps that could not read consumer groups, their members or commits, of clusters of which others of the day could.
-- in:  raw_sweeps
-- out: one row per cluster and such sweep
WITH sweeps AS (
    SELECT
        cluster,
        sweep_at,
        coalesce(
            admin_outcome != 'failed'
            AND NOT arrays_overlap(admin_missing, array('groups', 'group_members', 'group_offsets')),
            FALSE
        ) AS is_read
    FROM raw_sweeps
    WHERE to_date(sweep_at) = :ds
),

readable AS (
    SELECT cluster
    FROM sweeps
    WHERE is_read
    GROUP BY cluster
)

SELECT
    s.cluster,
    s.sweep_at
FROM sweeps AS s
INNER JOIN readable AS r ON s.cluster = r.cluster
WHERE NOT s.is_read
