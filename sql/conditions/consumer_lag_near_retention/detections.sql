-- Which consumer groups is the deletion of old records about to overtake?
-- out: one row per group, topic and number, of the partition that is worst off: groups that have lost records first,
--      then those with the largest share of retention behind. Lost is what retention deleted today before a group with
--      members read it: a log that starts younger was purged by DeleteRecords
WITH risks AS (
    SELECT
        p.*,
        p.lag >= t.min_lag AS lags,
        NOT p.abandoned AND p.expires AND p.lag >= t.min_lag AS counts,
        p.deleted >= t.min_lag
        AND p.from_log_start_offset IS NOT NULL
        AND (p.by_size OR p.oldest_s >= t.min_age_share * p.retention_s)
        AND p.oldest_s IS NOT NULL
        AND NOT coalesce(p.memberless, FALSE) AS lost,
        p.behind_s >= t.max_retention_share * p.retention_s AS late,
        p.unread_share >= t.max_unread_share
        AND p.left_s <= t.min_hours_left * 3600
        AND (p.by_size OR p.oldest_s IS NULL OR coalesce(p.oldest_s >= t.min_age_share * p.retention_s, FALSE))
            AS reached
    FROM partition_lags AS p
    INNER JOIN consumer_lag_near_retention_thresholds AS t ON p.cluster = t.cluster
),

ranked AS (
    SELECT
        cluster,
        group_id,
        topic,
        max(nobody) AS nobody,
        try_cast(try_sum(lag) AS DOUBLE) AS lag,
        try_cast(try_sum(CASE WHEN lost THEN deleted END) AS DOUBLE) AS deleted,
        max(behind_s) / 3600 AS behind_hours,
        max(try_divide(behind_s, retention_s)) AS retention_share,
        max(least(1, unread_share)) AS unread_share,
        min(CASE WHEN lags THEN left_s END) / 3600 AS hours_left,
        coalesce(min(from_at), min(to_at)) AS from_at,
        max(to_at) AS to_at,
        row_number() OVER (
            PARTITION BY cluster
            ORDER BY
                coalesce(try_sum(CASE WHEN lost THEN deleted END), 0) = 0, max(nobody) ASC,
                coalesce(max(try_divide(behind_s, retention_s)), 0) DESC, group_id, topic ASC
        ) AS ordinal
    FROM risks
    WHERE counts AND (lost OR late OR reached)
    GROUP BY cluster, group_id, topic
),

totals AS (
    SELECT
        c.cluster,
        count(DISTINCT r.group_id) AS groups,
        count(DISTINCT CASE WHEN r.counts AND (r.lost OR r.late OR r.reached) THEN r.group_id END) AS behind,
        try_cast(max(c.offsets_sweep) IS NULL AS BIGINT) AS no_offsets,
        count_if(r.lags AND r.from_at IS NULL) AS unpaced,
        CASE WHEN count(r.log_end_offset) < 0.95 * count(r.cluster) THEN count(r.cluster) - count(r.log_end_offset) END
            AS unread,
        count(DISTINCT CASE WHEN r.lags AND r.unknown_policy THEN r.topic END) AS unknown_topics
    FROM cluster_days AS c
    LEFT JOIN risks AS r ON c.cluster = r.cluster
    GROUP BY c.cluster
)

SELECT
    cluster,
    metric,
    CASE WHEN nobody THEN 'group without members' ELSE 'group' END AS kind,
    group_id AS object_name,
    topic AS object_detail,
    ordinal,
    amount,
    from_at,
    to_at,
    TRUE AS is_subject
FROM ranked
    UNPIVOT (amount FOR metric IN (lag, deleted, behind_hours, retention_share, unread_share, hours_left))
UNION ALL
SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    amount,
    NULL AS from_at,
    NULL AS to_at,
    FALSE AS is_subject
FROM totals UNPIVOT (amount FOR metric IN (groups, behind, no_offsets, unpaced, unread, unknown_topics))
