-- Committed offsets that went backwards, and how group, coordinator and log stood at both sweeps.
-- in:  group_progress, commit_events (what came back lower), group_coordinators, group_days, raw_topics,
--      raw_partitions (leaders)
-- out: one row per group, partition and step back. vanished: no commit was there for at least one sweep in between.
--      coordinator_loaded: another broker coordinates the group, or its process started in between; null when unknown.
--      memberless: the group showed no member at any sweep, so others set its offsets
WITH back AS (
    SELECT
        cluster,
        group_id,
        topic,
        partition,
        from_sweep,
        to_sweep,
        from_committed_offset,
        committed_offset,
        FALSE AS vanished
    FROM group_progress
    WHERE records < 0
    UNION ALL
    SELECT
        cluster,
        group_id,
        topic,
        partition,
        before_sweep AS from_sweep,
        to_sweep,
        previous_offset AS from_committed_offset,
        committed_offset,
        TRUE AS vanished
    FROM commit_events
    WHERE kind = 'return' AND committed_offset < previous_offset
),

resets AS (
    SELECT DISTINCT
        cluster,
        group_id,
        topic,
        to_sweep
    FROM back
),

-- what became of the group's other partitions of the topic at the same sweep
held AS (
    SELECT
        r.cluster,
        r.group_id,
        r.topic,
        r.to_sweep,
        count(*) AS partitions_held,
        count_if(p.records > 0) AS partitions_ahead
    FROM resets AS r
    INNER JOIN group_progress AS p
        ON r.cluster = p.cluster AND r.group_id = p.group_id AND r.topic = p.topic AND r.to_sweep = p.to_sweep
    GROUP BY r.cluster, r.group_id, r.topic, r.to_sweep
),

topics AS (
    SELECT DISTINCT
        cluster,
        topic,
        to_sweep
    FROM back
),

ends AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        p.sweep_at,
        max(p.log_start_offset) AS log_start_offset,
        max(p.log_end_offset) AS log_end_offset
    FROM raw_partitions AS p
    INNER JOIN topics AS t ON p.cluster = t.cluster AND p.topic = t.topic AND p.sweep_at = t.to_sweep
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.topic, p.partition, p.sweep_at
)

SELECT
    b.cluster,
    b.group_id,
    b.topic,
    b.partition,
    b.from_sweep,
    b.to_sweep,
    b.from_committed_offset,
    b.committed_offset,
    b.vanished,
    e.log_start_offset,
    e.log_end_offset,
    h.partitions_held,
    h.partitions_ahead,
    gf.group_state AS from_group_state,
    gt.group_state,
    gf.coordinator AS from_coordinator,
    gt.coordinator,
    gt.offsets_partition,
    b.from_committed_offset - b.committed_offset AS records_back,
    m.group_id IS NOT NULL AS memberless,
    tf.topic_id = tt.topic_id AS same_topic,
    gf.coordinator != gt.coordinator OR gt.coordinator_started_at > b.from_sweep AS coordinator_loaded
FROM back AS b
LEFT JOIN held AS h
    ON b.cluster = h.cluster AND b.group_id = h.group_id AND b.topic = h.topic AND b.to_sweep = h.to_sweep
LEFT JOIN ends AS e
    ON b.cluster = e.cluster AND b.topic = e.topic AND b.partition = e.partition AND b.to_sweep = e.sweep_at
LEFT JOIN raw_topics AS tf
    ON b.cluster = tf.cluster AND b.topic = tf.topic AND b.partition = tf.partition AND b.from_sweep = tf.sweep_at
LEFT JOIN raw_topics AS tt
    ON b.cluster = tt.cluster AND b.topic = tt.topic AND b.partition = tt.partition AND b.to_sweep = tt.sweep_at
LEFT JOIN group_coordinators AS gf
    ON b.cluster = gf.cluster AND b.group_id = gf.group_id AND b.from_sweep = gf.sweep_at
LEFT JOIN group_coordinators AS gt
    ON b.cluster = gt.cluster AND b.group_id = gt.group_id AND b.to_sweep = gt.sweep_at
LEFT JOIN group_days AS m ON b.cluster = m.cluster AND b.group_id = m.group_id AND m.memberless
