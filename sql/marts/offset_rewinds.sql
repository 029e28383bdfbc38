-- Committed offsets that went backwards, and how group, coordinator and log stood at both sweeps.
WITH back AS (
    SELECT
        cluster,
        group_id,
        topic,
        partition,
        to_sweep,
        committed_offset,
        same_topic,
        coalesce(records >= 0, TRUE) AS vanished,
        if(records < 0, from_sweep, before_sweep) AS from_sweep,
        if(records < 0, from_committed_offset, previous_offset) AS from_committed_offset
    FROM commit_intervals
    WHERE records < 0 OR (kind = 'return' AND topic_id IS NOT NULL AND committed_offset < previous_offset)
),

-- how many partitions of the topic the group had a commit of at the same sweep
held AS (
    SELECT
        p.cluster,
        p.group_id,
        p.topic,
        p.to_sweep,
        count(*) AS partitions_held
    FROM commit_intervals AS p
    LEFT SEMI JOIN back AS b
        ON p.cluster = b.cluster AND p.group_id = b.group_id AND p.topic = b.topic AND p.to_sweep = b.to_sweep
    GROUP BY p.cluster, p.group_id, p.topic, p.to_sweep
),

logs AS (
    SELECT
        b.*,
        max(p.log_start_offset) AS log_start_offset,
        max(p.log_end_offset) AS log_end_offset,
        coalesce(max(m.memberless), FALSE) AS memberless
    FROM back AS b
    LEFT JOIN group_days AS m ON b.cluster = m.cluster AND b.group_id = m.group_id AND m.memberless
    LEFT JOIN raw_partitions AS p
        ON
            b.cluster = p.cluster AND b.topic = p.topic AND b.partition = p.partition AND b.to_sweep = p.sweep_at
            AND p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY ALL
),

-- as many unclean elections are certain as partitions came from outside, so each of them was one
elected AS (
    SELECT
        cluster,
        topic,
        partition,
        from_sweep,
        to_sweep
    FROM outside_leads
    QUALIFY replaced AND exact_elections >= count(*) OVER (PARTITION BY cluster, to_sweep)
)

SELECT
    b.*,
    h.partitions_held,
    gf.group_state AS from_group_state,
    gt.group_state,
    gt.coordinator,
    b.from_committed_offset - b.committed_offset AS records_back,
    gf.coordinator != gt.coordinator OR gt.coordinator_started_at > b.from_sweep AS coordinator_loaded,
    count(e.cluster) > 0 AS offsets_log_cut
FROM logs AS b
LEFT JOIN held AS h
    ON b.cluster = h.cluster AND b.group_id = h.group_id AND b.topic = h.topic AND b.to_sweep = h.to_sweep
LEFT JOIN group_coordinators AS gf ON b.cluster = gf.cluster AND b.group_id = gf.group_id AND b.from_sweep = gf.sweep_at
LEFT JOIN group_coordinators AS gt ON b.cluster = gt.cluster AND b.group_id = gt.group_id AND b.to_sweep = gt.sweep_at
LEFT JOIN elected AS e
    ON
        b.cluster = e.cluster AND e.topic = '__consumer_offsets' AND gt.offsets_partition = e.partition
        AND b.from_sweep <= e.from_sweep AND b.to_sweep >= e.to_sweep
GROUP BY ALL
