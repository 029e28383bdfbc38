-- First commits that lie past where reading from the start, or from the lost offset, would have begun.
-- in:  commit_events, declared_resets
-- out: one row per group, partition and event with its cause. at_most: offsets from there to the first commit;
--      there_before: those of them that were in the log when the group had not begun, skipped if its reset is latest;
--      none of a compacted log, whose offsets need not hold records.
--      A group that commits below the log end of before it began did not begin at a log end: it is left out
WITH caused AS (
    SELECT
        e.cluster,
        e.group_id,
        e.topic,
        e.partition,
        e.from_sweep,
        e.to_sweep,
        e.read_at,
        e.committed_offset,
        e.from_log_end_offset,
        e.log_start_offset,
        e.log_end_offset,
        e.log_bytes,
        e.partitions_before,
        e.partitions_of_topic,
        e.seconds,
        e.bytes_out,
        e.bytes_in,
        e.messages_in,
        e.appended,
        e.known_records,
        e.offset_expirations,
        d.reset_policy,
        coalesce(e.begin_known AND e.absence_sure, FALSE) AS begin_known,
        coalesce(e.traffic_measured, FALSE) AS traffic_measured,
        coalesce(e.compacted, FALSE) AS compacted,
        -- one reset policy holds for a group, so one partition tells of all that it began with at that sweep
        max(
            coalesce(e.begin_known AND e.absence_sure AND e.committed_offset < e.from_log_end_offset, FALSE)
        ) OVER (PARTITION BY e.cluster, e.group_id, e.topic, e.to_sweep) AS began_below_the_end,
        CASE
            -- not known where the log start is not: retention may have moved it past the lost offset
            WHEN e.kind = 'return' AND e.log_start_offset > e.previous_offset THEN e.log_start_offset
            WHEN e.kind = 'return' AND e.log_start_offset IS NOT NULL THEN e.previous_offset
            WHEN e.kind = 'first' THEN e.log_start_offset
        END AS base,
        CASE
            -- offsets that an operator deleted are gone too: expiry shows in its own counter, where the release has it
            WHEN
                e.kind = 'return'
                AND e.absence_sure
                AND e.brokers_counted
                AND coalesce(e.offset_expirations > 0, TRUE)
                AND NOT coalesce(e.topic_created, FALSE)
                THEN 'offsets_expired'
            WHEN e.kind = 'first' AND e.partition_added AND e.topic_read_before THEN 'growth'
            -- the console consumer makes a group up for each run
            WHEN
                e.kind = 'first' AND e.absence_sure AND NOT regexp_like(e.group_id, '^console-consumer-[0-9]+$')
                THEN 'first_start'
        END AS cause
    FROM commit_events AS e
    LEFT JOIN declared_resets AS d ON e.cluster = d.cluster AND e.group_id = d.group_id
    -- the offsets of a group without members were set from outside, and nobody has read by them yet
    WHERE array_contains(:clusters, e.cluster) AND NOT coalesce(e.group_state IN ('Empty', 'Dead'), FALSE)
)

SELECT
    *,
    committed_offset - base AS at_most,
    CASE
        WHEN begin_known AND NOT compacted
            THEN greatest(0, least(committed_offset, coalesce(from_log_end_offset, 0)) - base)
        ELSE 0
    END AS there_before
FROM caused
WHERE
    cause IS NOT NULL
    AND committed_offset > base
    AND NOT began_below_the_end
    AND coalesce(reset_policy, 'latest') = 'latest'
