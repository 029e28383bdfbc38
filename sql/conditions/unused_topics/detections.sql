-- Are there topics that nobody writes to or reads, or groups that nobody uses?
-- in:  unused_objects, judged_topics, topic_use, cluster_days, unused_topics_thresholds
-- out: of the cluster what is missing and the sums; one row per topic or group and number. empty: of topics without a
--      record, as those for errors that did not happen, the number alone
WITH sums AS (
    SELECT
        cluster,
        count_if(kind = 'topic') AS topics,
        try_sum(bytes) / 1e9D AS total_gb,
        count_if(kind = 'group') AS groups
    FROM unused_objects
    GROUP BY cluster
),

seen AS (
    SELECT
        cluster,
        count_if(is_unread) AS unread,
        count_if(is_unused AND records > 0 AND is_compacted IS NULL) AS undescribed,
        count_if(is_unused AND records = 0) AS empty
    FROM judged_topics
    GROUP BY cluster
),

looked AS (
    SELECT
        cluster,
        min(looked_since) AS looked_since
    FROM topic_use
    GROUP BY cluster
),

totals AS (
    SELECT
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        coalesce(try_cast(s.topics AS DOUBLE), 0) AS topics,
        coalesce(s.total_gb, 0) AS total_gb,
        coalesce(try_cast(s.groups AS DOUBLE), 0) AS groups,
        coalesce(try_cast(n.empty AS DOUBLE), 0) AS empty,
        round((unix_micros(c.last_sweep) - unix_micros(l.looked_since)) / 8.64e10D) AS oldest,
        try_cast(if(c.topics_sweep IS NULL, 1, 0) AS DOUBLE) AS topics_unread,
        try_cast(if(l.looked_since IS NULL, 1, 0) AS DOUBLE) AS none_earlier,
        try_cast(if(oldest < t.min_days, 1, 0) AS DOUBLE) AS too_few,
        try_cast(if(c.lags_sweep IS NULL, 1, 0) AS DOUBLE) AS groups_unread,
        try_cast(if(none_earlier = 1, 0, n.unread) AS DOUBLE) AS unread,
        try_cast(n.undescribed AS DOUBLE) AS undescribed
    FROM cluster_days AS c
    INNER JOIN unused_topics_thresholds AS t ON c.cluster = t.cluster
    LEFT JOIN sums AS s ON c.cluster = s.cluster
    LEFT JOIN seen AS n ON c.cluster = n.cluster
    LEFT JOIN looked AS l ON c.cluster = l.cluster
)

SELECT
    cluster,
    metric,
    kind,
    object_name,
    NULL AS object_detail,
    ordinal,
    amount,
    from_at,
    to_at,
    is_subject
FROM unused_objects
    UNPIVOT (amount FOR metric IN (topic_gb, topic_days, group_days))
UNION ALL
SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    amount,
    first_sweep AS from_at,
    last_sweep AS to_at,
    FALSE AS is_subject
FROM totals
    UNPIVOT (
        amount FOR metric IN (
            topics, total_gb, groups, empty, oldest, topics_unread, none_earlier, too_few, groups_unread, unread,
            undescribed
        )
    )
