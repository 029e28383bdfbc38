-- Brokers that the cluster does not list while partitions assigned to them go on without them.
-- in:  short_sets
-- out: one row per broker and pair of consecutive sweeps with metadata that both miss it; partition_count: in-sync
--      sets that lack it at the second one
WITH absences AS (
    SELECT
        cluster,
        sweep_at,
        sweep_number,
        follower AS broker,
        count(*) AS partition_count,
        count(DISTINCT topic) AS topics
    FROM short_sets
    WHERE NOT is_listed
    GROUP BY cluster, sweep_at, sweep_number, follower
)

SELECT
    t.cluster,
    t.broker,
    f.sweep_at AS from_sweep,
    t.sweep_at AS to_sweep,
    t.partition_count,
    t.topics,
    f.sweep_at AS from_at,
    t.sweep_at AS to_at,
    (unix_micros(t.sweep_at) - unix_micros(f.sweep_at)) / 1e6D AS seconds
FROM absences AS t
INNER JOIN absences AS f ON t.cluster = f.cluster AND t.sweep_number = f.sweep_number + 1 AND t.broker = f.broker
WHERE to_date(t.sweep_at) = :ds
