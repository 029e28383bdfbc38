-- Which topics have partitions with one replica?
-- out: of the cluster how many there are; one row per such topic, internal topics first, then those with the most
--      partitions. A topic that Kafka did not tell of may be one
WITH totals AS (
    SELECT
        c.cluster,
        c.topics_sweep,
        c.topics_unseen,
        count(t.cluster) AS all_topics,
        count_if(t.fewest_replicas = 1) AS topics,
        count_if(t.fewest_replicas = 1 AND t.internal) AS internal,
        coalesce(try_sum(CASE WHEN t.fewest_replicas = 1 THEN t.partition_count END), 0) AS topic_partitions,
        count_if(c.topics_sweep IS NULL) AS unread,
        count_if(c.topics_sweep IS NOT NULL AND c.topics_unseen IS NOT NULL) AS unseen
    FROM cluster_days AS c
    LEFT JOIN topic_days AS t ON c.cluster = t.cluster
    GROUP BY c.cluster, c.topics_sweep, c.topics_unseen
)

SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    topics_unseen AS object_detail,
    0 AS ordinal,
    amount,
    topics_sweep AS from_at,
    topics_sweep AS to_at,
    FALSE AS is_subject
FROM totals UNPIVOT (amount FOR metric IN (all_topics, topics, internal, topic_partitions, unread, unseen))
UNION ALL
SELECT
    cluster,
    'topic' AS metric,
    'topic' AS kind,
    topic AS object_name,
    CASE WHEN internal THEN 'internal' END AS object_detail,
    row_number() OVER (PARTITION BY cluster ORDER BY internal DESC, partition_count DESC, topic ASC) AS ordinal,
    partition_count AS amount,
    NULL AS from_at,
    NULL AS to_at,
    TRUE AS is_subject
FROM topic_days
WHERE fewest_replicas = 1
