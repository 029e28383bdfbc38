-- First commits that lie past where reading from the start, or from the lost offset, would have begun.
-- out: one row per group, partition and event with its cause. at_most: offsets from there to the first commit;
--      there_before: those of them that were in the log when the group had not begun, skipped if its reset is latest;
--      none of a compacted log, whose offsets need not hold records. arriving: offsets per byte, null unless measured.
--      A group that commits below the log end of before it began did not begin at a log end: it is left out
WITH returns AS (
    SELECT DISTINCT
        cluster,
        before_sweep,
        to_sweep
    FROM group_starts
    WHERE kind = 'return'
),

expired AS (
    SELECT
        s.*,
        try_sum(h.offset_expirations) AS offset_expirations
    FROM returns AS s
    INNER JOIN broker_counters AS h
        ON s.cluster = h.cluster AND s.before_sweep < h.to_sweep AND s.to_sweep >= h.to_sweep
    GROUP BY ALL
)

SELECT
    e.cluster,
    e.group_id,
    e.topic,
    e.partition,
    e.from_sweep,
    e.to_sweep,
    e.read_at,
    d.reset_policy,
    e.committed_offset,
    e.log_bytes,
    e.seconds,
    w.bytes_out,
    x.offset_expirations,
    coalesce(e.begin_known AND e.absence_sure, FALSE) AS begin_known,
    -- not known where the log start is not: retention may have moved it past the lost offset
    if(e.log_start_offset IS NULL, NULL, greatest(e.log_start_offset, e.previous_offset)) AS base,
    e.committed_offset - base AS at_most,
    if(
        e.begin_known AND e.absence_sure,
        greatest(0, least(e.committed_offset, coalesce(if(w.compacted, 0, e.from_log_end_offset), 0)) - base), 0
    ) AS there_before,
    e.partitions_of_topic - e.partitions_before AS partitions_added,
    e.log_end_offset - e.log_start_offset AS offsets_held,
    CASE
        WHEN w.traffic_measured AND w.appended IS NOT NULL
            THEN try_divide(try_cast(greatest(w.messages_in, w.appended) AS DOUBLE), w.bytes_in)
    END AS arriving,
    CASE
        WHEN u.cluster IS NOT NULL THEN 'expired_in_use'
        -- offsets that an operator deleted are gone too: expiry shows in its own counter, where the release has it
        WHEN
            e.kind = 'return' AND e.absence_sure AND NOT coalesce(e.topic_created, FALSE)
            AND x.cluster IS NOT NULL AND coalesce(x.offset_expirations > 0, TRUE)
            THEN 'offsets_expired'
        WHEN e.kind = 'first' AND e.partition_added AND e.topic_read_before THEN 'growth'
        -- the console consumer makes a group up for each run
        WHEN
            e.kind = 'first' AND e.absence_sure AND NOT regexp_like(e.group_id, '^console-consumer-[0-9]+$')
            THEN 'first_start'
    END AS cause
FROM group_starts AS e
LEFT JOIN start_windows AS w
    ON e.cluster = w.cluster AND e.topic = w.topic AND e.from_sweep = w.from_sweep AND e.to_sweep = w.to_sweep
LEFT JOIN expired AS x ON e.cluster = x.cluster AND e.before_sweep = x.before_sweep AND e.to_sweep = x.to_sweep
LEFT JOIN returns_in_use AS u
    ON
        e.cluster = u.cluster AND e.group_id = u.group_id AND e.topic = u.topic AND e.partition = u.partition
        AND e.to_sweep = u.to_sweep
        -- it expired, sooner than any absence can be as long as the retention, and no request took it away
        AND u.offset_expirations > 0 AND u.offset_deletions <= 0 AND u.group_deletions <= 0 AND u.old_commits <= 0
        AND u.seconds < 60D * u.retention_minutes
        -- nor did the group read other topics: it takes a rebalance to go there, and one more to come back
        AND u.return_rebalances <= 1
        AND (
            u.rebalances <= 0 AND u.group_state IN ('PreparingRebalance', 'Empty')
            OR u.group_state = 'Stable' AND u.assigned
        )
        -- the coordinator of the consumer protocol counts its rebalances elsewhere
        AND NOT regexp_like(u.kafka_release, '^(3[.]([7-9]|[1-9][0-9])|[4-9]|[1-9][0-9])[.]')
LEFT JOIN declared_resets AS d ON e.cluster = d.cluster AND e.group_id = d.group_id
-- the offsets of a group without members were set from outside, and nobody has read by them yet
WHERE NOT coalesce(e.group_state IN ('Empty', 'Dead'), FALSE)
QUALIFY
    cause IS NOT NULL
    AND at_most > 0
    AND coalesce(d.reset_policy, 'latest') = 'latest'
    -- one reset policy holds for a group, so one partition tells of all that it began with at that sweep
    AND NOT coalesce(
        max(e.begin_known AND e.absence_sure AND e.committed_offset < e.from_log_end_offset)
            OVER (PARTITION BY e.cluster, e.group_id, e.topic, e.to_sweep),
        FALSE
    )
