-- Topics with records, and groups, that nobody uses; topics first, the largest first.
-- in:  judged_topics, commit_ages, unused_topics_thresholds
-- out: one row per topic and per group. is_subject: they are enough to be told
WITH found AS (
    SELECT
        cluster,
        'topic' AS kind,
        topic AS object_name,
        unwritten_since AS from_at,
        to_at,
        bytes,
        idle_days AS topic_days,
        NULL AS group_days
    FROM judged_topics
    WHERE is_unused AND records > 0 AND NOT is_compacted
    UNION ALL
    SELECT
        g.cluster,
        'group' AS kind,
        g.group_id AS object_name,
        max(g.unmoved_since) AS from_at,
        max(g.to_at) AS to_at,
        NULL AS bytes,
        NULL AS topic_days,
        round((unix_micros(max(g.to_at)) - unix_micros(max(g.unmoved_since))) / 8.64e10D) AS group_days
    FROM commit_ages AS g
    INNER JOIN unused_topics_thresholds AS t ON g.cluster = t.cluster
    GROUP BY g.cluster, g.group_id
    HAVING
        count(g.unmoved_since) = count(*) AND min(g.memberless)
        AND round((unix_micros(max(g.to_at)) - unix_micros(max(g.unmoved_since))) / 8.64e10D) >= max(t.min_days)
)

SELECT
    f.*,
    f.bytes / 1e9D AS topic_gb,
    if(
        f.kind = 'topic',
        try_sum(f.bytes) OVER of_cluster >= 1e9D * t.min_gb,
        count_if(f.kind = 'group') OVER of_cluster >= t.min_groups
    ) AS is_subject,
    row_number() OVER (
        PARTITION BY f.cluster ORDER BY f.kind DESC, f.bytes DESC, f.group_days DESC, f.object_name ASC
    ) AS ordinal
FROM found AS f
INNER JOIN unused_topics_thresholds AS t ON f.cluster = t.cluster
WINDOW of_cluster AS (PARTITION BY f.cluster)
