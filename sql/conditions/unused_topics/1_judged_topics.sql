-- Which topics does nobody write to or read, as far as that shows?
-- in:  topic_use, topic_days, unused_topics_thresholds
-- out: one row per topic that is neither internal nor, by its name, of a platform. is_unread: the log end of some
--      partition is not known. idle_days: for which they stayed as they are, at least; null where they did not
SELECT
    d.cluster,
    d.topic,
    u.to_at,
    u.unwritten_since,
    u.bytes,
    u.records,
    u.topic IS NULL OR u.partition_count < d.partition_count AS is_unread,
    contains(d.cleanup_policy, 'compact') AS is_compacted,
    round((unix_micros(u.to_at) - unix_micros(u.unwritten_since)) / 8.64e10D) AS idle_days,
    coalesce(
        idle_days >= t.min_days AND NOT is_unread AND NOT u.is_read
        AND (u.group_count = 0 OR round((unix_micros(u.to_at) - unix_micros(u.unread_since)) / 8.64e10D) >= t.min_days),
        FALSE
    ) AS is_unused
FROM topic_days AS d
INNER JOIN unused_topics_thresholds AS t ON d.cluster = t.cluster
LEFT JOIN topic_use AS u ON d.cluster = u.cluster AND d.topic = u.topic
WHERE NOT d.internal AND NOT startswith(d.topic, '_')
