-- Groups that lost enough ground on a topic at one sweep to be no reordering of commits.
-- in:  rewound_partitions
-- out: one row per cluster, cause, group, topic and sweep; read_again_with_earliest and skipped_with_latest: what
--      either reset would cost now, counted from where the group had been, over the partitions whose leader was read
SELECT
    cluster,
    cause,
    group_id,
    topic,
    to_sweep,
    min(from_sweep) AS from_sweep,
    try_sum(records_back) AS records_back,
    count(*) AS partitions_back,
    max(partitions_held) AS partitions_held,
    max(coordinator) AS coordinator,
    min(sure) AS sure,
    max(coordinator_loaded) AS coordinator_loaded,
    max(rewound_groups) AS rewound_groups,
    try_sum(greatest(0, from_committed_offset - log_start_offset)) FILTER (WHERE log_start_offset IS NOT NULL)
        AS read_again_with_earliest,
    try_sum(greatest(0, log_end_offset - from_committed_offset)) FILTER (WHERE log_end_offset IS NOT NULL)
        AS skipped_with_latest
FROM rewound_partitions
GROUP BY cluster, cause, group_id, topic, to_sweep
HAVING try_sum(records_back) >= :min_rewound
