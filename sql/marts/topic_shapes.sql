-- How many partitions each topic had at each sweep, the fewest replicas of any of them, and its id.
WITH states AS (
    SELECT
        cluster,
        topic,
        sweep_at,
        last_sweep_at,
        count(*) AS partition_count,
        min(size(replicas)) AS fewest_replicas,
        max(size(replicas)) AS most_replicas,
        try_sum(size(replicas)) AS replica_total,
        max(topic_id) AS topic_id
    FROM raw_topics
    GROUP BY cluster, topic, sweep_at, last_sweep_at
)

SELECT
    t.cluster,
    s.sweep_at,
    t.topic,
    try_sum(t.partition_count) AS partition_count,
    min(t.fewest_replicas) AS fewest_replicas,
    max(t.topic_id) AS topic_id,
    coalesce(
        ceil(
            try_divide(
                try_subtract(
                    try_sum(t.replica_total), try_multiply(try_sum(t.partition_count), min(t.fewest_replicas))
                ),
                try_subtract(max(t.most_replicas), min(t.fewest_replicas))
            )
        ),
        0
    ) AS larger_partitions
FROM states AS t
INNER JOIN raw_sweeps AS s ON t.cluster = s.cluster AND s.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at
GROUP BY t.cluster, s.sweep_at, t.topic
