-- How much of the day lies between a cluster's first and last read of committed offsets.
-- in:  cluster_days, admin_reads
-- out: one row per cluster that any sweep of the day names; covered: share of the time from first to last sweep, 0
--      where offsets were not read at two sweeps
SELECT
    c.cluster,
    a.first_offsets_sweep,
    a.offsets_sweep AS last_offsets_sweep,
    coalesce(
        (unix_micros(a.offsets_sweep) - unix_micros(a.first_offsets_sweep))
        / nullif(unix_micros(c.last_sweep) - unix_micros(c.first_sweep), 0),
        0
    ) AS covered
FROM cluster_days AS c
LEFT JOIN admin_reads AS a ON c.cluster = a.cluster
