-- Leaders from outside the in-sync replicas, where unclean elections were counted meanwhile.
-- in:  outside_leads
-- out: one row per partition and pair of sweeps. proven: as many unclean elections are certain as such leaders came,
--      and the replicas that were in sync had gone. A leader may have come back into sync since the sweep before, or
--      come from the eligible leader replicas, and an election may have been of another partition
SELECT
    cluster,
    topic,
    partition,
    from_sweep,
    to_sweep,
    from_broker,
    broker,
    unclean_elections,
    same_topic,
    coalesce(replaced AND exact_elections >= count(*) OVER (PARTITION BY cluster, to_sweep), FALSE) AS proven
FROM outside_leads
WHERE array_contains(:clusters, cluster)
