-- How many partitions each topic had at each sweep, the fewest replicas of any of them, and its id.
-- in:  raw_topics
-- out: one row per topic and sweep; topic_id is null where releases have none. larger_partitions: at least so many have
--      more replicas than the fewest, as a partition has while replicas are added by a reassignment
WITH shapes AS (
    SELECT
        cluster,
        sweep_at,
        topic,
        count(*) AS partition_count,
        min(size(replicas)) AS fewest_replicas,
        max(size(replicas)) AS most_replicas,
        try_sum(size(replicas)) AS replica_total,
        max(topic_id) AS topic_id
    FROM raw_topics
    GROUP BY cluster, sweep_at, topic
)

SELECT
    cluster,
    sweep_at,
    topic,
    partition_count,
    fewest_replicas,
    topic_id,
    coalesce(
        ceil(
            try_divide(
                try_subtract(replica_total, try_multiply(partition_count, fewest_replicas)),
                try_subtract(most_replicas, fewest_replicas)
            )
        ),
        0
    ) AS larger_partitions
FROM shapes
