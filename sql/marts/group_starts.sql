-- Where a group began with a partition, or came back to it: committed offsets that were not there at the usable sweep
-- before. A group had not begun with a partition that was not yet assigned.
WITH begun AS (
    SELECT
        c.cluster,
        c.group_id,
        c.topic,
        c.partition,
        c.topic_id,
        c.kind,
        c.before_sweep,
        c.to_sweep,
        c.sweep_number,
        c.read_at,
        c.previous_offset,
        c.committed_offset,
        coalesce(min(s.sweep_number), max(c.sweep_number)) - 1 AS from_number
    FROM commit_intervals AS c
    LEFT JOIN raw_group_assignments AS a
        ON c.cluster = a.cluster AND c.group_id = a.group_id AND c.topic = a.topic AND c.partition = a.partition
    LEFT JOIN group_coordinators AS s
        ON
            a.cluster = s.cluster AND a.group_id = s.group_id
            AND s.sweep_at BETWEEN a.sweep_at AND a.last_sweep_at AND s.sweep_number > coalesce(c.before_number, 0)
            AND c.sweep_number > s.sweep_number
    WHERE c.kind IS NOT NULL AND c.topic_id IS NOT NULL
    GROUP BY ALL
),

logged AS (
    SELECT
        b.*,
        f.sweep_at AS from_sweep,
        -- members that are not shown (not allowed) might have been reading already
        NOT f.listed OR f.group_state IN ('Empty', 'Dead') OR f.members > 0 AS begin_known,
        max(if(p.sweep_at = f.sweep_at, p.log_end_offset, NULL)) AS from_log_end_offset,
        max(if(p.sweep_at = b.to_sweep, p.log_start_offset, NULL)) AS log_start_offset,
        max(if(p.sweep_at = b.to_sweep, p.log_end_offset, NULL)) AS log_end_offset,
        max(if(p.sweep_at = b.to_sweep, p.size_bytes, NULL)) AS log_bytes
    FROM begun AS b
    LEFT JOIN group_coordinators AS f
        ON b.cluster = f.cluster AND b.group_id = f.group_id AND b.from_number = f.sweep_number
    LEFT JOIN raw_partitions AS p
        ON
            b.cluster = p.cluster AND b.topic = p.topic AND b.partition = p.partition
            AND (b.to_sweep = p.sweep_at OR f.sweep_at = p.sweep_at)
            AND p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY ALL
),

-- partitions are numbered as they are added
topics AS (
    SELECT
        t.cluster,
        t.topic,
        coalesce(t.topic_id, '') AS topic_id,
        min(t.sweep_at) AS first_sweep,
        min(min(t.sweep_at)) OVER (PARTITION BY t.cluster) AS first_of_cluster,
        min_by(t.partition_count, t.sweep_at) AS partitions_before,
        max(t.partition_count) AS partitions_of_topic
    FROM topic_shapes AS t
    LEFT SEMI JOIN group_coordinators AS g ON t.cluster = g.cluster AND t.sweep_at = g.sweep_at
    GROUP BY t.cluster, t.topic, coalesce(t.topic_id, '')
),

readers AS (
    SELECT
        o.cluster,
        o.group_id,
        o.topic,
        min(o.sweep_at) AS first_sweep
    FROM raw_group_offsets AS o
    LEFT SEMI JOIN group_coordinators AS g ON o.cluster = g.cluster AND o.sweep_at = g.sweep_at
    LEFT SEMI JOIN commit_intervals AS c
        ON o.cluster = c.cluster AND o.group_id = c.group_id AND o.topic = c.topic AND c.kind = 'first'
    GROUP BY o.cluster, o.group_id, o.topic
)

SELECT
    b.* EXCEPT (topic_id, sweep_number, from_number, from_log_end_offset),
    t.partitions_before,
    t.partitions_of_topic,
    c.group_state,
    if(t.first_sweep > b.from_sweep, 0, b.from_log_end_offset) AS from_log_end_offset,
    b.partition >= t.partitions_before AS partition_added,
    t.first_sweep > t.first_of_cluster AND coalesce(t.first_sweep > b.before_sweep, TRUE) AS topic_created,
    coalesce(r.first_sweep < b.to_sweep, FALSE) AS topic_read_before,
    -- a coordinator that was away or loading hides its groups: what comes back then is no first commit
    p.listed
    OR p.offsets_partition IS NULL
    OR coalesce(
        p.coordinator = c.coordinator AND c.coordinator_started_at <= p.sweep_at - INTERVAL 30 SECONDS, FALSE
    ) AS absence_sure,
    (unix_micros(b.to_sweep) - unix_micros(b.from_sweep)) / 1e6D AS seconds
FROM logged AS b
INNER JOIN topics AS t ON b.cluster = t.cluster AND b.topic = t.topic AND b.topic_id = t.topic_id
LEFT JOIN readers AS r ON b.cluster = r.cluster AND b.group_id = r.group_id AND b.topic = r.topic
LEFT JOIN group_coordinators AS p
    ON b.cluster = p.cluster AND b.group_id = p.group_id AND b.sweep_number - 1 = p.sweep_number
LEFT JOIN group_coordinators AS c ON b.cluster = c.cluster AND b.group_id = c.group_id AND b.to_sweep = c.sweep_at
