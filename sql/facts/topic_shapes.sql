-- How many partitions each topic had at each sweep, the fewest replicas of any of them, and its id.
-- in:  raw_topics
-- out: one row per topic and sweep; topic_id is null where releases have none. larger_partitions: at least so many have
--      more replicas than the fewest, as a partition has while replicas are added by a reassignment
SELECT
    cluster,
    sweep_at,
    topic,
    count(*) AS partition_count,
    min(size(replicas)) AS fewest_replicas,
    coalesce(
        ceil(
            try_divide(
                try_subtract(try_sum(size(replicas)), try_multiply(count(*), min(size(replicas)))),
                try_subtract(max(size(replicas)), min(size(replicas)))
            )
        ),
        0
    ) AS larger_partitions,
    max(topic_id) AS topic_id
FROM raw_topics
GROUP BY cluster, sweep_at, topic
