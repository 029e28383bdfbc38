-- How many partitions each topic had at each sweep, and its id.
-- in:  raw_topics
-- out: one row per topic and sweep; topic_id is null where releases have none
SELECT
    cluster,
    sweep_at,
    topic,
    count(*) AS partition_count,
    max(topic_id) AS topic_id
FROM raw_topics
GROUP BY cluster, sweep_at, topic
