-- Committed offsets that went back, each with the cause that the states of log, group and coordinator leave.
-- out: a row per group, partition and step back; sure: nothing else explains it; is_long: no disorder of commits;
--      group_*: of group, topic, sweep. Without members others set offsets: only a long log's load is a hint
WITH numbered AS (
    SELECT
        r.*,
        t.min_groups,
        t.min_rewound,
        s.groups_elsewhere,
        coalesce(l.uncompacted, FALSE) AS uncompacted,
        coalesce(r.from_group_state IN ('Empty', 'Dead'), FALSE) OR coalesce(r.group_state IN ('Empty', 'Dead'), FALSE)
            AS was_empty,
        -- groups of a part of the offsets log that was cut are counted by themselves
        if(r.memberless, NULL, dense_rank() OVER (
            PARTITION BY r.cluster, r.coordinator, r.to_sweep, coalesce(r.memberless, FALSE), r.offsets_log_cut
            ORDER BY r.group_id
        )) AS nth_group
    FROM offset_rewinds AS r
    INNER JOIN offset_rewind_thresholds AS t ON r.cluster = t.cluster
    LEFT JOIN coordinator_logs AS l ON r.cluster = l.cluster AND r.coordinator = l.broker
    LEFT JOIN forgotten_commits AS s ON r.cluster = s.cluster AND r.group_id = s.group_id AND r.to_sweep = s.to_sweep
    -- a topic created anew begins at 0 again; without topic ids a log that ends before the commit may be one
    WHERE coalesce(r.same_topic, r.log_end_offset >= r.from_committed_offset)
),

caused AS (
    SELECT
        *,
        if(coordinator IS NULL, 1, coalesce(
            max(nth_group) OVER (PARTITION BY cluster, coordinator, to_sweep, offsets_log_cut), 1
        )) AS rewound_groups,
        CASE
            WHEN memberless THEN if(coordinator_loaded AND uncompacted, 'stale_load', NULL)
            WHEN log_end_offset < from_committed_offset THEN 'truncation'
            -- the coordinator loads what the elected replica has
            WHEN offsets_log_cut AND coalesce(coordinator_loaded, TRUE) THEN 'stale_leader'
            -- Kafka lets an operator reset the offsets of an empty group only
            WHEN was_empty AND NOT vanished AND rewound_groups < min_groups THEN 'manual'
            WHEN coalesce(coordinator_loaded, TRUE) THEN 'stale_load'
            WHEN NOT vanished THEN 'manual'
        END AS cause,
        CASE cause
            WHEN 'truncation' THEN TRUE
            WHEN 'manual' THEN was_empty AND coalesce(NOT coordinator_loaded, FALSE)
            WHEN 'stale_leader'
                THEN coalesce(coordinator_loaded, FALSE) AND (rewound_groups >= min_groups OR NOT was_empty)
            ELSE groups_elsewhere IS NOT NULL
        END AS sure
    FROM numbered
)

SELECT
    cluster,
    cause,
    group_id,
    topic,
    partition,
    from_sweep,
    to_sweep,
    from_committed_offset,
    committed_offset,
    coordinator,
    records_back,
    vanished,
    rewound_groups,
    groups_elsewhere,
    sure,
    if(log_start_offset IS NULL, NULL, greatest(0, from_committed_offset - log_start_offset)) AS read_again_if_earliest,
    if(log_end_offset IS NULL, NULL, greatest(0, log_end_offset - from_committed_offset)) AS skipped_if_latest,
    min(sure) OVER of_group AS group_sure,
    try_sum(records_back) OVER of_group AS group_records_back,
    try_sum(records_back) OVER of_group >= min_rewound AS is_long,
    if(partition = min(partition) OVER of_group, partitions_held, NULL) AS group_partitions_held
FROM caused
WHERE cause IS NOT NULL
WINDOW of_group AS (PARTITION BY cluster, cause, group_id, topic, to_sweep)
