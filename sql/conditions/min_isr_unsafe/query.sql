-- Which topics take acks=all writes on one copy, and which stop taking them when one replica is down?
-- in:  topic_days, admin_reads, cluster_days
-- out: one row per cluster; topics that one copy is enough for come first, internal ones before others. A topic with
--      one replica and min.insync.replicas 1 is left to replication_factor_1.
WITH judged AS (
    SELECT
        *,
        min_insync_replicas = 1 AND fewest_replicas >= 2 AS one_copy,
        min_insync_replicas >= greatest(2, fewest_replicas) AS no_room
    FROM topic_days
),

counted AS (
    SELECT
        cluster,
        count(*) AS topics,
        count_if(one_copy) AS one_copy,
        count_if(no_room) AS no_room,
        count_if(min_insync_replicas IS NULL) AS unread,
        sort_array(
            collect_list(
                CASE
                    WHEN one_copy OR no_room
                        THEN STRUCT(NOT one_copy AS later, NOT internal AS late, -partition_count AS by_size, topic)
                END
            )
        ) AS hits
    FROM judged
    GROUP BY cluster
),

answers AS (
    SELECT
        c.cluster,
        a.topics_sweep,
        a.topics_unseen,
        coalesce(a.configs_sweep, a.topics_sweep) AS read_sweep,
        coalesce(n.topics, 0) AS topics,
        coalesce(n.one_copy, 0) AS one_copy,
        coalesce(n.no_room, 0) AS no_room,
        coalesce(n.hits, array()) AS hits,
        coalesce(n.unread, 0) AS unread
    FROM cluster_days AS c
    INNER JOIN admin_reads AS a ON c.cluster = a.cluster
    LEFT JOIN counted AS n ON c.cluster = n.cluster
),

held AS (
    SELECT
        *,
        CASE
            WHEN one_copy + no_room > 0 THEN TRUE
            WHEN topics_sweep IS NOT NULL AND topics_unseen IS NULL AND unread = 0 THEN FALSE
        END AS holds
    FROM answers
)

SELECT
    cluster,
    holds,
    CASE
        WHEN holds IS NOT NULL
            THEN concat(
                'of ', topics, ' topics, acks=all is content with one copy on ', one_copy,
                ' and stops as soon as one replica is down on ', no_room
            )
    END AS sentence,
    transform(hits, f -> concat('topic ', f.topic)) AS subjects,
    filter(
        array(
            CASE WHEN topics_sweep IS NULL THEN 'the topics were not read' END,
            topics_unseen,
            CASE WHEN unread > 0 THEN concat('min.insync.replicas was not read of topics: ', unread) END
        ),
        m -> m IS NOT NULL
    ) AS missing,
    CASE
        WHEN holds IS NOT NULL
            THEN transform(
                array(STRUCT('one_copy' AS line, one_copy AS amount), STRUCT('no_room' AS line, no_room AS amount)),
                e -> STRUCT(
                    e.line AS line,
                    concat(topics, ' topics') AS place,
                    e.amount AS amount,
                    read_sweep AS from_at,
                    read_sweep AS to_at
                )
            )
    END AS evidence
FROM held
ORDER BY cluster
