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
        sum(records_back) AS records_back,
        count(DISTINCT group_id) AS groups_back,
        try_divide(sum(partitions_back), sum(partitions_held)) AS share_back,
        max(rewound_groups) AS rewound_groups,
        sum(read_again_with_earliest) AS read_again_with_earliest,
        sum(skipped_with_latest) AS skipped_with_latest,
        sum(records_lost) AS records_lost,
        sum(outside_isr) AS outside_isr,
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
    slice(s.brokers, 1, 4)
    || slice(s.consumer_groups, 1, 6)
    || slice(s.topics, 1, 4)
    || slice(s.lost_partitions, 1, 5)
    || CASE
        WHEN
            size(s.brokers) > 4
            OR size(s.consumer_groups) > 6
            OR size(s.topics) > 4
            OR size(s.lost_partitions) > 5
            THEN array(
                concat(
                    'and ', format_number(greatest(0, size(s.brokers) - 4), 0), ' more brokers, ',
                    format_number(greatest(0, size(s.consumer_groups) - 6), 0), ' more groups, ',
                    format_number(greatest(0, size(s.topics) - 4), 0), ' more topics, ',
                    format_number(greatest(0, size(s.lost_partitions) - 5), 0), ' more partitions'
                )
            )
        ELSE array()
    END AS subjects,
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
    CASE WHEN f.cause = 'truncation' THEN f.unclean_elections END AS unclean_elections
FROM found AS f
INNER JOIN rewind_subjects AS s ON f.cluster = s.cluster AND f.cause = s.cause
LEFT JOIN rewind_health AS h ON f.cluster = h.cluster
ORDER BY f.cluster, f.cause
