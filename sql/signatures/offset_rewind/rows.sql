-- What went back, partition by partition: committed offsets of groups, log ends of leaders, leaders out of sync.
-- in:  rewound_partitions, rewound_groups, lost_log_ends, unclean_leaders
-- out: at most 40 rows per cluster, the longest steps back first
WITH listed AS (
    SELECT
        p.cluster,
        p.from_sweep,
        p.to_sweep,
        concat('group ', p.group_id) AS whose,
        concat(p.topic, '-', p.partition) AS topic_partition,
        p.from_committed_offset AS offset_before,
        p.committed_offset AS offset_after,
        p.cause
    FROM rewound_partitions AS p
    INNER JOIN rewound_groups AS g
        ON
            p.cluster = g.cluster
            AND p.cause = g.cause
            AND p.group_id = g.group_id
            AND p.topic = g.topic
            AND p.to_sweep = g.to_sweep
    UNION ALL
    SELECT
        cluster,
        from_sweep,
        to_sweep,
        concat('log end, broker ', from_broker, ' to ', broker) AS whose,
        concat(topic, '-', partition) AS topic_partition,
        from_log_end_offset AS offset_before,
        log_end_offset AS offset_after,
        'truncation' AS cause
    FROM lost_log_ends
    UNION ALL
    SELECT
        cluster,
        from_sweep,
        to_sweep,
        coalesce(
            concat('leader, broker ', from_broker, ' to ', broker), concat('leader, none to broker ', broker)
        ) AS whose,
        concat(topic, '-', partition) AS topic_partition,
        cast(NULL AS BIGINT) AS offset_before,
        cast(NULL AS BIGINT) AS offset_after,
        'unclean_election' AS cause
    FROM unclean_leaders
),

ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY cluster
            ORDER BY try_subtract(offset_before, offset_after) DESC, whose ASC, topic_partition ASC, to_sweep ASC
        ) AS line
    FROM listed
)

SELECT
    cluster,
    from_sweep,
    to_sweep,
    whose,
    topic_partition,
    offset_before,
    offset_after,
    cause
FROM ranked
WHERE line <= 40
ORDER BY cluster, line
