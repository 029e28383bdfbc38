-- Which topics have partitions with two replicas?
-- in:  topic_days, admin_reads, cluster_days
-- out: one row per cluster; internal topics first, then those with the most partitions
WITH counted AS (
    SELECT
        cluster,
        count(*) AS topics,
        count_if(fewest_replicas = 2) AS few,
        count_if(fewest_replicas = 2 AND internal) AS few_internal,
        coalesce(try_sum(CASE WHEN fewest_replicas = 2 THEN partition_count END), 0) AS few_partitions,
        sort_array(
            collect_list(
                CASE WHEN fewest_replicas = 2 THEN STRUCT(NOT internal AS late, -partition_count AS by_size, topic) END
            )
        ) AS hits
    FROM topic_days
    GROUP BY cluster
)

SELECT
    c.cluster,
    -- a topic that Kafka did not tell of may be one
    CASE WHEN n.few > 0 THEN TRUE WHEN a.topics_sweep IS NOT NULL AND a.topics_unseen IS NULL THEN FALSE END AS holds,
    CASE
        WHEN a.topics_sweep IS NOT NULL AND (n.few > 0 OR a.topics_unseen IS NULL)
            THEN concat(
                'topics with partitions of two replicas: ', coalesce(n.few, 0), ' of ', coalesce(n.topics, 0),
                CASE
                    WHEN n.few_internal > 0
                        THEN concat(
                            ', internal ones among them: ',
                            array_join(transform(filter(n.hits, f -> NOT f.late), f -> f.topic), ', ')
                        )
                    ELSE ''
                END
            )
    END AS sentence,
    CASE WHEN n.few > 0 THEN transform(n.hits, f -> concat('topic ', f.topic)) ELSE array() END AS subjects,
    CASE
        WHEN a.topics_sweep IS NULL THEN array('the topics were not read')
        WHEN a.topics_unseen IS NOT NULL THEN array(a.topics_unseen)
        ELSE array()
    END AS missing,
    CASE
        WHEN a.topics_sweep IS NOT NULL AND (n.few > 0 OR a.topics_unseen IS NULL)
            THEN transform(
                array(
                    STRUCT('topics' AS line, coalesce(n.few, 0) AS amount),
                    STRUCT('internal' AS line, coalesce(n.few_internal, 0) AS amount),
                    STRUCT('partitions' AS line, coalesce(n.few_partitions, 0) AS amount)
                ),
                e -> STRUCT(
                    e.line AS line,
                    concat(coalesce(n.topics, 0), ' topics') AS place,
                    e.amount AS amount,
                    a.topics_sweep AS from_at,
                    a.topics_sweep AS to_at
                )
            )
    END AS evidence
FROM cluster_days AS c
INNER JOIN admin_reads AS a ON c.cluster = a.cluster
LEFT JOIN counted AS n ON c.cluster = n.cluster
ORDER BY c.cluster
