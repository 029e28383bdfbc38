-- What the plot of in-sync sets cannot show.
-- in:  topic_shapes, cluster_days
-- out: one sentence per cluster of which sweeps had no metadata
WITH reads AS (
    SELECT
        c.cluster,
        c.sweep_count,
        count(DISTINCT t.sweep_at) AS read_count
    FROM cluster_days AS c
    LEFT JOIN topic_shapes AS t ON c.cluster = t.cluster AND to_date(t.sweep_at) = :ds
    GROUP BY c.cluster, c.sweep_count
)

SELECT
    cluster,
    concat(sweep_count - read_count, ' of ', sweep_count, ' sweeps read no metadata') AS missing
FROM reads
WHERE read_count < sweep_count
