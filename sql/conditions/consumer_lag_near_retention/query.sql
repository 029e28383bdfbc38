-- Which consumer groups is the deletion of old records about to overtake?
-- in:  group_lags, topic_days, admin_reads, cluster_days
-- out: one row per cluster; groups that have lost records first, then those with the largest share of retention behind.
--      A partition that no member of a reading group is assigned to is old commits of a topic no longer read. Lost is
--      what retention deleted today before a group with members: a log that starts younger was purged by DeleteRecords
WITH paces AS (
    SELECT
        g.*,
        t.retention_ms / 1e3D AS retention_s,
        coalesce(t.retention_bytes > 0, FALSE) AS by_size,
        t.cleanup_policy IS NULL AS unknown_policy,
        coalesce(contains(t.cleanup_policy, 'delete') AND (t.retention_ms > 0 OR t.retention_bytes > 0), FALSE)
            AS expires,
        greatest(0, g.log_end_offset - g.committed_offset) AS lag,
        coalesce(g.log_start_offset > g.committed_offset, FALSE) AS overtaken,
        greatest(0, g.log_start_offset - greatest(g.committed_offset, g.from_log_start_offset)) AS deleted,
        coalesce(g.group_state IN ('Empty', 'Dead'), FALSE) AS nobody,
        try_divide(greatest(0, g.log_end_offset - g.from_log_end_offset), g.seconds) AS arrivals_per_s,
        try_divide(
            g.log_start_offset - g.from_log_start_offset - g.committed_offset + g.from_committed_offset, g.seconds
        ) AS closing_per_s
    FROM group_lags AS g
    LEFT JOIN topic_days AS t ON g.cluster = t.cluster AND g.topic = t.topic
    WHERE NOT g.left_behind
),

times AS (
    SELECT
        *,
        -- records that arrived within the measured span are younger than it; older ones are dated by the rate within
        CASE
            WHEN lag = 0 THEN 0D
            WHEN committed_offset >= from_log_end_offset
                THEN least(seconds, coalesce(try_divide(lag, arrivals_per_s), seconds))
            ELSE seconds + coalesce(try_divide(from_log_end_offset - committed_offset, arrivals_per_s), 0D)
        END AS behind_s,
        try_divide(lag, log_end_offset - log_start_offset) AS unread_share,
        CASE
            WHEN log_start_offset > from_log_start_offset AND closing_per_s > 0
                THEN try_divide(greatest(0, committed_offset - log_start_offset), closing_per_s)
        END AS left_s,
        CASE
            WHEN arrivals_per_s > 0
                THEN seconds + greatest(0D, try_divide(from_log_end_offset - log_start_offset, arrivals_per_s))
        END AS oldest_s,
        -- a group without members whose loss is older than the day is one that nobody runs any more
        nobody AND overtaken AND NOT coalesce(from_log_start_offset <= from_committed_offset, FALSE) AS abandoned
    FROM paces
),

dated AS (
    SELECT
        *,
        -- not known of a partition on which nothing arrived
        CASE
            WHEN oldest_s IS NOT NULL THEN by_size OR coalesce(oldest_s >= :min_age_share * retention_s, FALSE)
        END AS by_retention
    FROM times
    WHERE NOT abandoned
),

risks AS (
    SELECT
        *,
        coalesce(
            lag >= :min_lag
            AND expires
            AND from_log_start_offset IS NOT NULL
            AND deleted >= :min_lag
            AND by_retention
            AND NOT coalesce(memberless, FALSE), FALSE
        ) AS lost,
        coalesce(
            lag >= :min_lag AND expires AND retention_s > 0 AND behind_s >= :max_retention_share * retention_s, FALSE
        ) AS late,
        coalesce(
            lag >= :min_lag
            AND expires
            AND unread_share >= :max_unread_share
            AND left_s <= :min_hours_left * 3600
            AND coalesce(by_retention, TRUE), FALSE
        ) AS reached
    FROM dated
),

-- of each group and topic the partition that is worst off stands for all
topics AS (
    SELECT
        cluster,
        group_id,
        topic,
        max(nobody) AS nobody,
        try_sum(lag) AS lag,
        try_sum(CASE WHEN lost THEN deleted END) AS deleted,
        max(behind_s) / 3600 AS behind_hours,
        max(CASE WHEN retention_s > 0 AND expires THEN try_divide(behind_s, retention_s) END) AS retention_share,
        max(least(1, unread_share)) AS unread_share,
        min(CASE WHEN lag >= :min_lag THEN left_s END) / 3600 AS hours_left,
        coalesce(min(from_at), min(to_at)) AS from_at,
        max(to_at) AS to_at
    FROM risks
    WHERE lost OR late OR reached
    GROUP BY cluster, group_id, topic
),

ranked AS (
    SELECT
        cluster,
        count(DISTINCT group_id) AS groups,
        sort_array(
            collect_list(
                STRUCT(
                    coalesce(deleted, 0) = 0 AS later,
                    nobody,
                    -coalesce(retention_share, 0) AS nearness,
                    group_id,
                    topic,
                    array(
                        STRUCT('lag' AS line, try_cast(lag AS DOUBLE) AS amount),
                        STRUCT('deleted' AS line, try_cast(deleted AS DOUBLE) AS amount),
                        STRUCT('behind_hours' AS line, behind_hours AS amount),
                        STRUCT('retention_share' AS line, retention_share AS amount),
                        STRUCT('unread_share' AS line, unread_share AS amount),
                        STRUCT('hours_left' AS line, hours_left AS amount)
                    ) AS figures,
                    from_at,
                    to_at
                )
            )
        ) AS hits
    FROM topics
    GROUP BY cluster
),

read_states AS (
    SELECT
        cluster,
        count(DISTINCT group_id) AS groups,
        count_if(log_end_offset IS NULL) AS unread,
        count(*) AS commits,
        count_if(lag >= :min_lag AND from_at IS NULL) AS unpaced,
        count(DISTINCT CASE WHEN unknown_policy AND lag >= :min_lag THEN topic END) AS unknown_topics
    FROM times
    GROUP BY cluster
),

answers AS (
    SELECT
        c.cluster,
        a.offsets_sweep,
        coalesce(s.groups, 0) AS groups,
        coalesce(r.groups, 0) AS behind,
        coalesce(r.hits, array()) AS hits,
        filter(
            array(
                CASE WHEN a.offsets_sweep IS NULL THEN 'consumer groups and their offsets were not read' END,
                CASE
                    WHEN s.unpaced > 0
                        THEN concat('a pace needs two reads, and partitions with lag were read once: ', s.unpaced)
                END,
                CASE
                    WHEN s.unread > 0.05 * s.commits
                        THEN concat('log ends were not read of partitions with committed offsets: ', s.unread)
                END,
                CASE
                    WHEN s.unknown_topics > 0
                        THEN concat('retention was not read of topics with lag: ', s.unknown_topics)
                END
            ),
            m -> m IS NOT NULL
        ) AS missing
    FROM cluster_days AS c
    INNER JOIN admin_reads AS a ON c.cluster = a.cluster
    LEFT JOIN read_states AS s ON c.cluster = s.cluster
    LEFT JOIN ranked AS r ON c.cluster = r.cluster
)

SELECT
    cluster,
    missing,
    CASE
        WHEN behind > 0 THEN TRUE
        WHEN size(missing) = 0 THEN FALSE
    END AS holds,
    CASE
        WHEN behind > 0 OR size(missing) = 0
            THEN concat('groups that retention overtakes or is about to: ', behind, ' of ', groups)
    END AS sentence,
    array_distinct(
        concat(
            transform(hits, f -> concat('group ', f.group_id)), transform(hits, f -> concat('topic ', f.topic))
        )
    ) AS subjects,
    flatten(
        transform(
            hits,
            f -> transform(
                filter(f.figures, l -> l.amount IS NOT NULL),
                l -> STRUCT(
                    l.line AS line,
                    concat('group ', f.group_id, ', topic ', f.topic, CASE WHEN f.nobody THEN ', no member' ELSE '' END)
                        AS place,
                    l.amount AS amount,
                    f.from_at AS from_at,
                    f.to_at AS to_at
                )
            )
        )
    ) AS evidence
FROM answers
ORDER BY cluster
