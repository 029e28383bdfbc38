-- Did committed offsets or log ends go backwards?
-- in:  reported_rewinds, rewind_subjects, rewind_health
-- out: one row per cluster and cause: of what is proven, else of what points to it
WITH found AS (
    SELECT
        cluster,
        cause,
        max(strength) AS strength,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        min_by(
            concat(coalesce(concat('group ', group_id), concat('broker ', broker), 'cluster'), ', topic ', topic), place
        ) AS place,
        try_sum(records_back) AS records_back,
        count(DISTINCT group_id) AS groups_back,
        try_divide(try_sum(partitions_back), try_sum(partitions_held)) AS share_back,
        max(rewound_groups) AS rewound_groups,
        try_sum(read_again_with_earliest) AS read_again_with_earliest,
        try_sum(skipped_with_latest) AS skipped_with_latest,
        try_sum(records_lost) AS records_lost,
        -- one whose log was shorter at several sweeps has a row of each
        nullif(count(DISTINCT CASE WHEN outside_isr = 1 THEN concat(topic, '-', lost_partition) END), 0) AS outside_isr,
        max(unclean_elections) AS unclean_elections
    FROM reported_rewinds
    GROUP BY cluster, cause
)

SELECT
    f.cluster,
    f.cause,
    f.strength,
    f.from_at,
    f.to_at,
    f.place,
    f.records_back,
    f.share_back,
    f.records_lost,
    f.outside_isr,
    h.cleaner_dead_threads,
    h.uncleanable_partitions,
    h.cleaner_idle_s,
    h.offsets_log_mb,
    h.offsets_log_growth_mb,
    h.offsets_load_ms,
    h.out_of_range,
    h.commits_per_s,
    h.group_offsets,
    h.coordinated_groups,
    concat(
        slice(s.brokers, 1, 4),
        if(size(s.brokers) > 4, array(concat('and ', size(s.brokers) - 4, ' more brokers')), array()),
        slice(s.consumer_groups, 1, 6),
        if(size(s.consumer_groups) > 6, array(concat('and ', size(s.consumer_groups) - 6, ' more groups')), array()),
        slice(s.topics, 1, 4),
        if(size(s.topics) > 4, array(concat('and ', size(s.topics) - 4, ' more topics')), array()),
        slice(s.lost_partitions, 1, 5),
        if(size(s.lost_partitions) > 5, array(concat('and ', size(s.lost_partitions) - 5, ' more partitions')), array())
    ) AS subjects,
    CASE
        WHEN f.records_back IS NOT NULL
            THEN named_struct(
                'records_back', f.records_back,
                'read_again_with_earliest', f.read_again_with_earliest,
                'skipped_with_latest', f.skipped_with_latest
            )
    END AS bounds,
    nullif(f.groups_back, 0) AS groups_back,
    CASE WHEN f.cause = 'stale_load' THEN f.rewound_groups END AS rewound_groups,
    CASE WHEN f.cause IN ('truncation', 'unclean_election') THEN f.unclean_elections END AS unclean_elections
FROM found AS f
INNER JOIN rewind_subjects AS s ON f.cluster = s.cluster AND f.cause = s.cause
LEFT JOIN rewind_health AS h ON f.cluster = h.cluster
ORDER BY f.cluster, f.cause
