-- Partitions with a short in-sync set at each sweep with metadata; none is 0, which was measured.
-- in:  topic_shapes, short_sets
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
        max(replica_count) AS replica_count,
        max(isr_count) AS isr_count
    FROM short_sets
    WHERE to_date(sweep_at) = :ds
    GROUP BY cluster, sweep_at, topic, partition
),

counted AS (
    SELECT
        s.cluster,
        s.sweep_at,
        s.partition_total,
        count(x.topic) AS short_count,
        count_if(x.replica_count - x.isr_count > 1) AS two_short_count,
        count_if(x.isr_count = 1 AND x.replica_count > 1) AS alone_count
    FROM sweeps AS s
    LEFT JOIN short_partitions AS x ON s.cluster = x.cluster AND s.sweep_at = x.sweep_at
    GROUP BY s.cluster, s.sweep_at, s.partition_total
),

points AS (
    SELECT
        cluster,
        sweep_at,
        max(partition_total) OVER (PARTITION BY cluster) AS partition_total,
        explode(array(
            named_struct('place', 1, 'series', 'under-replicated', 'amount', short_count),
            named_struct('place', 2, 'series', 'two or more short', 'amount', two_short_count),
            named_struct('place', 3, 'series', 'leader alone', 'amount', alone_count)
        )) AS point
    FROM counted
)

SELECT
    p.cluster,
    'partitions' AS unit,
    1 AS panel_place,
    NULL AS panel_count,
    p.point.series,
    p.point.place,
    3 AS series_count,
    p.sweep_at AS from_at,
    p.sweep_at AS to_at,
    try_cast(p.point.amount AS DOUBLE) AS amount,
    concat('of ', format_number(p.partition_total, 0), ' in all') AS panel
FROM points AS p
