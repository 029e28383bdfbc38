-- Did consumer groups begin on a partition past records that they never read?
-- out: one row per cluster, cause, group, topic, partition and sweep; at_least, at_most: of the partition, the other
--      numbers of all groups of the cause that are as sure. fastest: how fast any of these ever read one partition:
--      reading from the start would have had to be faster
WITH paces AS (
    SELECT
        p.cluster,
        p.group_id,
        p.topic,
        max(try_divide(p.records, p.seconds)) AS fastest
    FROM commit_intervals AS p
    LEFT SEMI JOIN skipping_groups AS g ON p.cluster = g.cluster AND p.group_id = g.group_id AND p.topic = g.topic
    WHERE p.records > 0 AND p.seconds > 0
    GROUP BY p.cluster, p.group_id, p.topic
),

clients AS (
    SELECT
        cluster,
        try_sum(connections) FILTER (WHERE regexp_like(software_version, '^([4-9]|[1-9][0-9]+)[.]')) AS with_duration,
        try_sum(connections) FILTER (WHERE regexp_like(software_version, '^[0-3][.]')) AS without_duration
    FROM client_days
    WHERE software = 'apache-kafka-java'
    GROUP BY cluster
),

retentions AS (
    SELECT
        cluster,
        min(try_cast(config_value AS BIGINT)) AS retention_minutes
    FROM broker_settings
    WHERE name = 'offsets.retention.minutes'
    GROUP BY cluster
)

SELECT
    g.cluster,
    g.cause,
    g.strength,
    g.group_id,
    g.topic,
    l.partition,
    g.to_sweep,
    l.base,
    l.committed_offset,
    l.at_most,
    c.with_duration,
    c.without_duration,
    min(g.from_sweep) OVER of_cause AS from_at,
    max(g.read_at) OVER of_cause AS to_at,
    try_sum(if(l.partition = g.first_partition, g.at_least, NULL)) OVER of_cause AS skipped_at_least,
    try_sum(l.at_most) OVER of_cause AS skipped_at_most,
    try_sum(l.there_before) OVER of_cause AS there_before,
    try_sum(if(l.partition = g.first_partition, g.unexplained, NULL)) OVER of_cause AS unexplained,
    max(p.fastest) OVER of_cause AS fastest,
    max(g.seconds) OVER of_cause AS seconds,
    if(g.cause = 'growth', max(g.partitions_added) OVER of_cause, NULL) AS partitions_added,
    if(contains(g.cause, 'expired'), max(g.offset_expirations) OVER of_cause, NULL) AS offset_expirations,
    if(contains(g.cause, 'expired'), r.retention_minutes, NULL) AS retention_minutes,
    -- a group that is proven on one topic and suspected on another is no further one
    try_sum(if(l.partition = g.first_partition AND g.place_in_group = 1 AND NOT g.reported, 1, NULL))
        OVER (PARTITION BY g.cluster, g.cause) AS suspected_groups,
    -- what the bytes prove of the group holds for each partition after all its others may have been skipped whole
    greatest(
        if(g.reset_policy = 'latest', l.there_before, 0), try_subtract(g.not_read, try_subtract(g.at_most, l.at_most))
    ) AS at_least,
    row_number() OVER (
        PARTITION BY g.cluster
        ORDER BY g.reported DESC, g.cause ASC, g.place_in_cause ASC, l.at_most DESC, l.partition ASC
    ) AS ordinal
FROM skipping_groups AS g
INNER JOIN late_commits AS l
    ON
        g.cluster = l.cluster AND g.cause = l.cause AND g.group_id = l.group_id AND g.topic = l.topic
        AND g.to_sweep = l.to_sweep
LEFT JOIN paces AS p ON g.cluster = p.cluster AND g.group_id = p.group_id AND g.topic = p.topic
LEFT JOIN clients AS c ON g.cluster = c.cluster
LEFT JOIN retentions AS r ON g.cluster = r.cluster
WINDOW of_cause AS (PARTITION BY g.cluster, g.cause, g.strength)
