-- Since when each group has left as it is what it committed of a topic, by the last sweeps of earlier days.
-- in:  raw_group_offsets, raw_earlier_group_offsets, raw_earlier_partitions, cluster_days, group_days
-- out: one row per group and topic, of clusters of which there are earlier days
WITH before AS (
    SELECT
        cluster,
        group_id,
        topic,
        partition,
        committed_offset,
        min(sweep_at) AS since
    FROM raw_earlier_group_offsets
    GROUP BY cluster, group_id, topic, partition, committed_offset
)

SELECT
    o.cluster,
    o.group_id,
    o.topic,
    max(o.sweep_at) AS to_at,
    count(*) AS partition_count,
    max(n.memberless) IS NOT NULL AS memberless,
    if(count(b.since) = count(*), max(b.since), NULL) AS unmoved_since
FROM raw_group_offsets AS o
INNER JOIN cluster_days AS c ON o.cluster = c.cluster AND o.sweep_at = c.lags_sweep
LEFT SEMI JOIN raw_earlier_partitions AS e ON o.cluster = e.cluster
LEFT JOIN before AS b
    ON
        o.cluster = b.cluster
        AND o.group_id = b.group_id
        AND o.topic = b.topic
        AND o.partition = b.partition
        AND o.committed_offset = b.committed_offset
LEFT JOIN group_days AS n ON o.cluster = n.cluster AND o.group_id = n.group_id AND n.memberless
GROUP BY o.cluster, o.group_id, o.topic
