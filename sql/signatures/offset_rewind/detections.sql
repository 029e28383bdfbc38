-- Did committed offsets or log ends go backwards, or are they about to?
-- out: one row per cluster, cause and group's partition, leader's partition or coordinator, with the numbers of all of
--      them that are as sure. furthest: 1 is the longest step back of a committed offset, or of a log end
WITH findings AS (
    SELECT
        cluster,
        cause,
        group_sure AS sure,
        from_sweep,
        to_sweep,
        if(cause IN ('stale_load', 'stale_leader'), coordinator, NULL) AS broker,
        NULL AS from_broker,
        group_id,
        topic,
        partition,
        from_committed_offset AS offset_before,
        committed_offset AS offset_after,
        group_records_back AS weight,
        group_partitions_held AS partitions_held,
        rewound_groups AS groups_together,
        groups_elsewhere AS kept_elsewhere,
        read_again_if_earliest,
        skipped_if_latest,
        NULL AS is_outside,
        NULL AS elections
    FROM rewound_partitions
    WHERE is_long
    UNION ALL
    SELECT
        cluster,
        cause,
        sure,
        from_sweep,
        to_sweep,
        broker,
        from_broker,
        NULL AS group_id,
        topic,
        lost_partition,
        from_log_end_offset AS offset_before,
        log_end_offset AS offset_after,
        coalesce(records_lost, offsets_log_mb, 1) AS weight,
        NULL AS partitions_held,
        NULL AS groups_together,
        NULL AS kept_elsewhere,
        NULL AS read_again_if_earliest,
        NULL AS skipped_if_latest,
        NOT led_in_isr AS is_outside,
        unclean_elections AS elections
    FROM broker_findings
),

-- nth: 1 is the first row of its group, or of its partition's leaders
ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY
                cluster, cause, sure, group_id, is_outside,
                if(group_id IS NULL, topic, NULL), if(group_id IS NULL, partition, NULL)
            ORDER BY to_sweep
        ) AS nth
    FROM findings
)

SELECT
    r.*,
    h.cleaner_dead_threads,
    h.uncleanable_partitions,
    h.cleaner_idle_s,
    h.most_offsets_log_mb AS offsets_log_mb,
    h.offsets_log_growth_mb,
    h.offsets_load_ms,
    h.out_of_range,
    h.commits_per_s,
    h.group_offsets,
    h.coordinated_groups,
    if(r.sure, 'conclusive', 'suggestive') AS strength,
    if(r.group_id IS NULL, r.partition, NULL) AS lost_partition,
    min(r.from_sweep) OVER of_cause AS from_at,
    max(r.to_sweep) OVER of_cause AS to_at,
    try_sum(if(r.group_id IS NULL, NULL, r.offset_before - r.offset_after)) OVER of_cause AS records_back,
    try_sum(if(r.group_id IS NULL, r.offset_before - r.offset_after, NULL)) OVER of_cause AS records_lost,
    try_sum(if(r.nth = 1 AND r.group_id IS NOT NULL, 1, NULL)) OVER of_cause AS groups_back,
    try_sum(if(r.nth = 1 AND r.is_outside, 1, NULL)) OVER of_cause AS outside_isr,
    try_divide(count(r.group_id) OVER of_cause, try_sum(r.partitions_held) OVER of_cause) AS share_back,
    if(r.cause IN ('stale_load', 'stale_leader'), max(r.groups_together) OVER of_cause, NULL) AS rewound_groups,
    if(r.cause = 'stale_load', max(r.kept_elsewhere) OVER of_cause, NULL) AS groups_elsewhere,
    max(r.elections) OVER of_cause AS unclean_elections,
    try_sum(r.read_again_if_earliest) OVER of_cause AS read_again_with_earliest,
    try_sum(r.skipped_if_latest) OVER of_cause AS skipped_with_latest,
    row_number() OVER (
        PARTITION BY r.cluster
        ORDER BY
            r.sure DESC, r.weight DESC, r.group_id ASC, r.topic ASC, r.partition ASC, r.broker ASC, r.to_sweep ASC,
            r.cause ASC
    ) AS ordinal,
    row_number() OVER (
        PARTITION BY r.cluster, r.group_id IS NULL
        ORDER BY r.offset_before - r.offset_after DESC, r.group_id DESC, r.topic DESC, r.partition DESC
    ) AS furthest,
    CASE
        WHEN r.partition IS NOT NULL
            THEN row_number() OVER (
                PARTITION BY r.cluster, r.partition IS NULL
                ORDER BY
                    r.offset_before - r.offset_after DESC, r.group_id IS NULL ASC, r.group_id ASC, r.from_broker ASC,
                    if(r.group_id IS NULL, r.broker, NULL) ASC, r.topic ASC, r.partition ASC, r.to_sweep ASC
            )
    END AS line
FROM ranked AS r
LEFT JOIN coordinator_logs AS h ON r.cluster = h.cluster AND h.place = 1
WINDOW of_cause AS (PARTITION BY r.cluster, r.cause, r.sure)
