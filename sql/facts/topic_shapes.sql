-- How many partitions each topic had at each sweep, the fewest replicas of any of them, and its id.
-- in:  raw_topics
-- out: one row per topic and sweep; topic_id is null where releases have none
SELECT
    cluster,
    sweep_at,
    topic,
    count(*) AS partition_count,
    min(size(replicas)) AS fewest_replicas,
    max(topic_id) AS topic_id
FROM raw_topics
GROUP BY cluster, sweep_at, topic
