-- What the plot of in-sync sets cannot show.
-- out: one row per cluster of which sweeps had no metadata: how many of how many
SELECT
    c.cluster,
    'no_metadata' AS missing,
    c.sweep_count AS of_sweeps,
    c.sweep_count - count(DISTINCT t.sweep_at) AS sweeps
FROM cluster_days AS c
LEFT JOIN topic_shapes AS t ON c.cluster = t.cluster AND to_date(t.sweep_at) = :ds
GROUP BY c.cluster, c.sweep_count
HAVING count(DISTINCT t.sweep_at) < c.sweep_count
