-- Partitions with a short in-sync set at each sweep with metadata; none is 0, which was measured.
-- out: one row per sweep and series
WITH sweeps AS (
    SELECT
        cluster,
        sweep_at,
        try_sum(partition_count) AS partition_total
    FROM topic_shapes
    WHERE to_date(sweep_at) = :ds
    GROUP BY cluster, sweep_at
),

short_partitions AS (
    SELECT
        cluster,
        sweep_at,
        topic,
        partition,
        max(size(replicas)) AS replica_count,
        max(size(isr)) AS isr_count
    FROM out_of_sync_replicas
    WHERE to_date(sweep_at) = :ds
    GROUP BY cluster, sweep_at, topic, partition
),

counted AS (
    SELECT
        s.cluster,
        s.sweep_at,
        max(s.partition_total) OVER (PARTITION BY s.cluster) AS partition_total,
        count(x.topic) AS under_replicated,
        count_if(x.replica_count - x.isr_count > 1) AS two_short,
        count_if(x.isr_count = 1 AND x.replica_count > 1) AS leader_alone
    FROM sweeps AS s
    LEFT JOIN short_partitions AS x ON s.cluster = x.cluster AND s.sweep_at = x.sweep_at
    GROUP BY s.cluster, s.sweep_at, s.partition_total
)

SELECT
    cluster,
    'all' AS panel,
    partition_total AS panel_object,
    1 AS panel_place,
    series,
    3 AS series_count,
    sweep_at AS from_at,
    sweep_at AS to_at,
    try_cast(amount AS DOUBLE) AS amount,
    CASE series WHEN 'under_replicated' THEN 1 WHEN 'two_short' THEN 2 ELSE 3 END AS place
FROM counted
    UNPIVOT (amount FOR series IN (under_replicated, two_short, leader_alone))
