-- Committed offsets that went back, each with the cause that the states of log, group and coordinator leave.
-- in:  offset_rewinds, coordinator_health
-- out: one row per group, partition and step back; sure: nothing else explains it. Of a group without members at any
--      sweep others set the offsets, so that nothing was read again: only a load of an uncompacted log is a hint
WITH logs AS (
    SELECT
        cluster,
        broker,
        max(offsets_log_bytes) / 1e6D AS offsets_log_mb,
        max(
            coalesce(cleaner_dead_threads > 0, FALSE)
            OR coalesce(uncleanable_partitions > 0, FALSE)
            -- before 2.4 there is no count of dead threads; a live cleaner looks for work every 15 s
            OR coalesce(cleaner_dead_threads IS NULL AND cleaner_idle_ms >= 1000 * :max_cleaner_idle_s, FALSE)
        ) AS cleaner_stopped
    FROM coordinator_health
    GROUP BY cluster, broker
),

together AS (
    SELECT
        cluster,
        coordinator,
        to_sweep,
        count(DISTINCT group_id) AS rewound_groups
    FROM offset_rewinds
    WHERE coalesce(same_topic, log_end_offset >= from_committed_offset) AND NOT coalesce(memberless, FALSE)
    GROUP BY cluster, coordinator, to_sweep
),

judged AS (
    SELECT
        r.cluster,
        r.group_id,
        r.topic,
        r.partition,
        r.from_sweep,
        r.to_sweep,
        r.from_committed_offset,
        r.committed_offset,
        r.records_back,
        r.vanished,
        r.log_start_offset,
        r.log_end_offset,
        r.same_topic,
        r.partitions_held,
        r.coordinator,
        r.coordinator_loaded,
        coalesce(r.memberless, FALSE) AS memberless,
        coalesce(t.rewound_groups, 1) AS rewound_groups,
        coalesce(r.log_end_offset < r.from_committed_offset, FALSE) AS beyond_end,
        coalesce(r.from_group_state IN ('Empty', 'Dead'), FALSE) OR coalesce(r.group_state IN ('Empty', 'Dead'), FALSE)
            AS was_empty,
        coalesce(l.cleaner_stopped, FALSE) OR coalesce(l.offsets_log_mb >= :min_offsets_log_mb, FALSE) AS uncompacted
    FROM offset_rewinds AS r
    LEFT JOIN logs AS l ON r.cluster = l.cluster AND r.coordinator = l.broker
    LEFT JOIN together AS t ON r.cluster = t.cluster AND r.coordinator = t.coordinator AND r.to_sweep = t.to_sweep
    -- a topic created anew begins at 0 again; without topic ids a log that ends before the commit may be one
    WHERE array_contains(:clusters, r.cluster) AND coalesce(r.same_topic, r.log_end_offset >= r.from_committed_offset)
),

caused AS (
    SELECT
        *,
        CASE
            WHEN memberless THEN CASE WHEN coordinator_loaded AND uncompacted THEN 'stale_load' END
            WHEN beyond_end THEN 'truncation'
            -- Kafka lets an operator reset the offsets of an empty group only
            WHEN was_empty AND NOT vanished AND rewound_groups < :min_groups THEN 'manual'
            WHEN coalesce(coordinator_loaded, TRUE) THEN 'stale_load'
            WHEN NOT vanished THEN 'manual'
        END AS cause
    FROM judged
)

SELECT
    *,
    CASE cause
        WHEN 'truncation' THEN TRUE
        WHEN 'manual' THEN was_empty AND coalesce(NOT coordinator_loaded, FALSE)
        ELSE
            coalesce(coordinator_loaded, FALSE)
            AND uncompacted
            AND NOT memberless
            AND (rewound_groups >= :min_groups OR NOT was_empty)
    END AS sure
FROM caused
WHERE cause IS NOT NULL
