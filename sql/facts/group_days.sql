-- Consumer groups of the day.
-- in:  raw_groups
-- out: one row per cluster and group
SELECT
    cluster,
    group_id,
    count(*) AS sweep_count
FROM raw_groups
WHERE to_date(sweep_at) = :ds
GROUP BY cluster, group_id
