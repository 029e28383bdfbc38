-- Where are unclean elections allowed, and how many did the controllers count?
-- in:  topic_days, config_days, process_days, admin_reads, cluster_days
-- out: one row per cluster; topics first, those with the most partitions first, then brokers
WITH counted AS (
    SELECT
        cluster,
        count(*) AS topics,
        count_if(unclean_election) AS allowed,
        count_if(unclean_election IS NULL) AS unread,
        sort_array(
            collect_list(
                CASE WHEN unclean_election THEN STRUCT(NOT internal AS late, -partition_count AS by_size, topic) END
            )
        ) AS hits
    FROM topic_days
    GROUP BY cluster
),

brokers AS (
    SELECT
        cluster,
        sort_array(collect_list(CASE WHEN config_value = 'true' THEN broker END)) AS allowing
    FROM config_days
    WHERE name = 'unclean.leader.election.enable' AND NOT redacted
    GROUP BY cluster
),

elections AS (
    SELECT
        cluster,
        sort_array(
            collect_list(
                CASE
                    WHEN unclean_leader_elections > 0
                        THEN STRUCT(-unclean_leader_elections AS fewer, broker, process_start, last_read)
                END
            )
        ) AS hits
    FROM process_days
    GROUP BY cluster
),

answers AS (
    SELECT
        c.cluster,
        a.topics_sweep,
        a.topics_unseen,
        coalesce(a.configs_sweep, a.topics_sweep, c.last_sweep) AS read_sweep,
        coalesce(t.topics, 0) AS topics,
        coalesce(t.allowed, 0) AS allowed,
        coalesce(t.unread, 0) AS unread,
        coalesce(t.hits, array()) AS hits,
        b.cluster IS NOT NULL AS brokers_read,
        coalesce(b.allowing, array()) AS allowing,
        coalesce(e.hits, array()) AS elections
    FROM cluster_days AS c
    INNER JOIN admin_reads AS a ON c.cluster = a.cluster
    LEFT JOIN counted AS t ON c.cluster = t.cluster
    LEFT JOIN brokers AS b ON c.cluster = b.cluster
    LEFT JOIN elections AS e ON c.cluster = e.cluster
),

held AS (
    SELECT
        *,
        CASE
            WHEN allowed > 0 OR size(allowing) > 0 THEN TRUE
            WHEN topics_sweep IS NOT NULL AND topics_unseen IS NULL AND unread = 0 AND brokers_read THEN FALSE
        END AS holds
    FROM answers
)

SELECT
    cluster,
    holds,
    CASE
        WHEN holds IS NOT NULL
            THEN concat(
                'unclean elections are allowed on ', allowed, ' of ', topics, ' topics and by default on ',
                size(allowing), ' brokers'
            )
    END AS sentence,
    concat(
        transform(hits, f -> concat('topic ', f.topic)), transform(allowing, b -> concat('broker ', b))
    ) AS subjects,
    filter(
        array(
            CASE WHEN topics_sweep IS NULL THEN 'the topics were not read' END,
            topics_unseen,
            CASE WHEN unread > 0 THEN concat('unclean.leader.election.enable was not read of topics: ', unread) END,
            CASE WHEN NOT brokers_read THEN 'unclean.leader.election.enable was not read of any broker' END
        ),
        m -> m IS NOT NULL
    ) AS missing,
    CASE
        WHEN holds IS NOT NULL
            THEN concat(
                transform(
                    array(
                        STRUCT('topics' AS line, try_cast(allowed AS BIGINT) AS amount),
                        STRUCT('brokers' AS line, try_cast(size(allowing) AS BIGINT) AS amount)
                    ),
                    e -> STRUCT(
                        e.line AS line,
                        'the cluster' AS place,
                        e.amount AS amount,
                        read_sweep AS from_at,
                        read_sweep AS to_at
                    )
                ),
                transform(
                    elections,
                    e -> STRUCT(
                        'elections' AS line,
                        concat('broker ', e.broker) AS place,
                        -e.fewer AS amount,
                        coalesce(e.process_start, e.last_read) AS from_at,
                        e.last_read AS to_at
                    )
                )
            )
    END AS evidence
FROM held
ORDER BY cluster
