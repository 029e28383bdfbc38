-- Which topics take acks=all writes on one copy, and which stop taking them when one replica is down?
-- out: of the cluster how many there are; one row per such topic: those that one copy is enough for come first,
--      internal ones before others. A topic with one replica and min.insync.replicas 1 is left to replication_factor_1.
WITH judged AS (
    SELECT
        *,
        coalesce(min_insync_replicas = 1 AND fewest_replicas >= 2, FALSE) AS one_copy,
        coalesce(min_insync_replicas >= greatest(2, fewest_replicas), FALSE) AS no_room
    FROM topic_days
),

totals AS (
    SELECT
        c.cluster,
        c.topics_unseen,
        coalesce(c.configs_sweep, c.topics_sweep) AS read_sweep,
        count(t.cluster) AS all_topics,
        count_if(t.one_copy) AS one_copy,
        count_if(t.no_room) AS no_room,
        count_if(c.topics_sweep IS NULL) AS unread,
        count_if(c.topics_unseen IS NOT NULL) AS unseen,
        count_if(t.cluster IS NOT NULL AND t.min_insync_replicas IS NULL) AS unread_topics
    FROM cluster_days AS c
    LEFT JOIN judged AS t ON c.cluster = t.cluster
    GROUP BY c.cluster, c.topics_unseen, coalesce(c.configs_sweep, c.topics_sweep)
)

SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    topics_unseen AS object_detail,
    0 AS ordinal,
    amount,
    read_sweep AS from_at,
    read_sweep AS to_at,
    FALSE AS is_subject
FROM totals UNPIVOT (amount FOR metric IN (all_topics, one_copy, no_room, unread, unseen, unread_topics))
UNION ALL
SELECT
    cluster,
    'topic' AS metric,
    'topic' AS kind,
    topic AS object_name,
    NULL AS object_detail,
    row_number() OVER (PARTITION BY cluster ORDER BY one_copy DESC, internal DESC, partition_count DESC, topic ASC)
        AS ordinal,
    partition_count AS amount,
    NULL AS from_at,
    NULL AS to_at,
    TRUE AS is_subject
FROM judged
WHERE one_copy OR no_room
