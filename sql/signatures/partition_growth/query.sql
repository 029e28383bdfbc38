-- Did consumer groups begin on a partition past records that they never read?
-- in:  skipping_groups, skipped_partitions, group_progress, client_days, config_days
-- out: one row per cluster and cause: of the groups that are proven, else of those that are suspected
WITH ranked AS (
    SELECT
        *,
        min(strength) OVER (PARTITION BY cluster, cause) AS best,
        row_number() OVER (
            PARTITION BY cluster, cause
            ORDER BY strength ASC, at_least DESC, at_most DESC, group_id ASC, topic ASC, to_sweep ASC
        ) AS rank_in_cause
    FROM skipping_groups
),

-- how fast a group ever read one partition of these topics: reading from the start would have had to be faster
paces AS (
    SELECT
        p.cluster,
        r.cause,
        max(try_divide(p.records, p.seconds)) AS fastest
    FROM group_progress AS p
    INNER JOIN ranked AS r
        ON p.cluster = r.cluster AND p.group_id = r.group_id AND p.topic = r.topic AND r.strength = r.best
    WHERE p.records > 0 AND p.seconds > 0
    GROUP BY p.cluster, r.cause
),

found AS (
    SELECT
        cluster,
        cause,
        max(best) AS strength,
        min(from_sweep) FILTER (WHERE strength = best) AS from_at,
        max(read_at) FILTER (WHERE strength = best) AS to_at,
        try_sum(at_least) FILTER (WHERE strength = best) AS at_least,
        try_sum(at_most) FILTER (WHERE strength = best) AS at_most,
        try_sum(there_before) FILTER (WHERE strength = best) AS there_before,
        try_sum(unexplained) FILTER (WHERE strength = best) AS unexplained,
        max(partitions_added) FILTER (WHERE strength = best) AS partitions_added,
        max(offset_expirations) FILTER (WHERE strength = best) AS offset_expirations,
        max(seconds) FILTER (WHERE strength = best) AS seconds,
        min_by(concat('group ', group_id, ', topic ', topic), rank_in_cause) AS place,
        -- a group that is proven on one topic and suspected on another is no further one
        count(DISTINCT group_id) - count(DISTINCT CASE WHEN strength = best THEN group_id END) AS suspected
    FROM ranked
    GROUP BY cluster, cause
),

-- each subject once, at the place of its worst partition
placed AS (
    SELECT
        cluster,
        cause,
        place,
        STRUCT(
            min(place) OVER (PARTITION BY cluster, cause, group_id), concat('group ', group_id) AS named
        ) AS of_group,
        STRUCT(min(place) OVER (PARTITION BY cluster, cause, topic), concat('topic ', topic) AS named) AS of_topic,
        STRUCT(
            min(place) OVER (PARTITION BY cluster, cause, topic, partition),
            concat('partition ', topic, '-', partition) AS named
        ) AS of_partition,
        concat(
            'group ', group_id, ' ', topic, '-', partition, ': ', format_number(at_least, 0), ' to ',
            format_number(at_most, 0)
        ) AS bound
    FROM skipped_partitions
    WHERE reported
),

named AS (
    SELECT
        cluster,
        cause,
        transform(array_sort(collect_set(of_group)), x -> x.named) AS group_names,
        transform(array_sort(collect_set(of_topic)), x -> x.named) AS topic_names,
        transform(array_sort(collect_set(of_partition)), x -> x.named) AS partition_names,
        transform(array_sort(collect_list(struct(place, bound))), x -> x.bound) AS bounds
    FROM placed
    GROUP BY cluster, cause
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
    FROM config_days
    WHERE name = 'offsets.retention.minutes'
    GROUP BY cluster
)

SELECT
    f.cluster,
    f.cause,
    f.strength,
    f.from_at,
    f.to_at,
    f.place,
    f.at_least AS skipped_at_least,
    f.at_most AS skipped_at_most,
    f.there_before,
    f.unexplained,
    p.fastest,
    f.seconds,
    c.with_duration,
    c.without_duration,
    concat(
        slice(n.group_names, 1, 6),
        if(size(n.group_names) > 6, array(concat('and ', size(n.group_names) - 6, ' more groups')), array()),
        slice(n.topic_names, 1, 4),
        if(size(n.topic_names) > 4, array(concat('and ', size(n.topic_names) - 4, ' more topics')), array()),
        slice(n.partition_names, 1, 9),
        if(size(n.partition_names) > 9, array(concat('and ', size(n.partition_names) - 9, ' more partitions')), array())
    ) AS subjects,
    named_struct(
        'skipped_at_least', f.at_least,
        'skipped_at_most', f.at_most,
        'by_partition', concat(
            array_join(slice(n.bounds, 1, 10), '; '),
            CASE
                WHEN size(n.bounds) > 10 THEN concat('; and ', format_number(size(n.bounds) - 10, 0), ' more')
                ELSE ''
            END
        )
    ) AS bounds,
    nullif(f.suspected, 0) AS suspected_groups,
    CASE WHEN f.cause = 'growth' THEN f.partitions_added END AS partitions_added,
    CASE WHEN f.cause = 'offsets_expired' THEN f.offset_expirations END AS offset_expirations,
    CASE WHEN f.cause = 'offsets_expired' THEN r.retention_minutes END AS retention_minutes
FROM found AS f
INNER JOIN named AS n ON f.cluster = n.cluster AND f.cause = n.cause
LEFT JOIN paces AS p ON f.cluster = p.cluster AND f.cause = p.cause
LEFT JOIN clients AS c ON f.cluster = c.cluster
LEFT JOIN retentions AS r ON f.cluster = r.cluster
ORDER BY f.cluster, f.cause
