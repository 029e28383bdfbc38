-- Where are unclean elections allowed, and how many did the controllers count?
-- out: of the cluster how many allow it; one row per topic that does, those with the most partitions first, then per
--      broker; one per process that counted elections
WITH objects AS (
    SELECT
        cluster,
        'topic' AS kind,
        topic AS object_name,
        NULL AS broker,
        internal,
        partition_count,
        unclean_election AS allowed
    FROM topic_days
    UNION ALL
    SELECT
        cluster,
        'broker' AS kind,
        cast(broker AS STRING) AS object_name,
        broker,
        FALSE AS internal,
        0 AS partition_count,
        config_value = 'true' AS allowed
    FROM broker_settings
    WHERE name = 'unclean.leader.election.enable' AND NOT redacted
),

totals AS (
    SELECT
        c.cluster,
        max(c.topics_unseen) AS topics_unseen,
        max(coalesce(c.configs_sweep, c.topics_sweep, c.last_sweep)) AS read_sweep,
        count_if(o.kind = 'topic') AS all_topics,
        count_if(o.kind = 'topic' AND o.allowed) AS topics,
        count_if(o.kind = 'broker' AND o.allowed) AS brokers,
        try_cast(max(c.topics_sweep) IS NULL AS BIGINT) AS unread,
        count(c.topics_unseen) AS unseen,
        count_if(o.kind = 'topic' AND o.allowed IS NULL) AS unread_topics,
        try_cast(count_if(o.kind = 'broker') = 0 AS BIGINT) AS unread_brokers
    FROM cluster_days AS c
    LEFT JOIN objects AS o ON c.cluster = o.cluster
    GROUP BY c.cluster
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
FROM totals
    UNPIVOT (amount FOR metric IN (all_topics, topics, brokers, unread, unseen, unread_topics, unread_brokers))
UNION ALL
SELECT
    cluster,
    kind AS metric,
    kind,
    object_name,
    NULL AS object_detail,
    row_number() OVER (
        PARTITION BY cluster ORDER BY kind DESC, internal DESC, partition_count DESC, broker ASC, object_name ASC
    ) AS ordinal,
    partition_count AS amount,
    NULL AS from_at,
    NULL AS to_at,
    TRUE AS is_subject
FROM objects
WHERE allowed
UNION ALL
SELECT
    cluster,
    'elections' AS metric,
    'broker' AS kind,
    cast(broker AS STRING) AS object_name,
    NULL AS object_detail,
    row_number() OVER (PARTITION BY cluster ORDER BY unclean_leader_elections DESC, broker ASC) AS ordinal,
    unclean_leader_elections AS amount,
    coalesce(process_start, last_read) AS from_at,
    last_read AS to_at,
    FALSE AS is_subject
FROM broker_days
WHERE unclean_leader_elections > 0
