-- Committed offsets of a group between its cluster's consecutive sweeps. records may be negative: a rewind is a fact,
-- not an error.
WITH sweeps AS (
    SELECT
        cluster,
        sweep_at,
        topics_read AND groups_read AS is_usable,
        lag(sweep_at) OVER before AS from_sweep,
        count_if(topics_read AND groups_read) OVER before AS usable_sweeps
    FROM cluster_sweeps
    WHERE offsets_read AND NOT overlapped
    WINDOW before AS (PARTITION BY cluster ORDER BY sweep_at)
),

-- few topics of a large cluster are read by groups: the others' metadata need not be moved about
listed AS (
    SELECT
        t.* EXCEPT (topic_id),
        coalesce(t.topic_id, '') AS topic_id
    FROM raw_topics AS t
    LEFT SEMI JOIN raw_group_offsets AS o ON t.cluster = o.cluster AND t.topic = o.topic
),

commits AS (
    SELECT
        o.cluster,
        o.group_id,
        o.topic,
        o.partition,
        s.from_sweep,
        s.sweep_at AS to_sweep,
        o.committed_offset,
        o.read_at,
        t.leader,
        t.topic_id,
        CASE WHEN s.is_usable THEN s.usable_sweeps END AS sweep_number,
        CASE WHEN s.is_usable THEN s.sweep_at END AS usable_sweep,
        CASE WHEN s.is_usable THEN o.committed_offset END AS usable_offset,
        CASE WHEN s.is_usable THEN t.topic_id END AS usable_topic_id
    FROM sweeps AS s
    INNER JOIN raw_group_offsets AS o ON s.cluster = o.cluster AND s.sweep_at = o.sweep_at
    LEFT JOIN listed AS t
        ON
            o.cluster = t.cluster AND o.topic = t.topic AND o.partition = t.partition
            AND o.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at
),

paired AS (
    SELECT
        *,
        lag(committed_offset) OVER before AS last_offset,
        lag(read_at) OVER before AS last_read_at,
        lag(topic_id) OVER before AS last_topic_id,
        lag(to_sweep) OVER before = from_sweep AS is_next,
        max(sweep_number) OVER earlier AS before_number,
        max(usable_sweep) OVER earlier AS before_sweep,
        last_value(usable_offset) IGNORE NULLS OVER earlier AS before_offset,
        last_value(usable_topic_id) IGNORE NULLS OVER earlier AS before_topic_id,
        is_next AND coalesce(read_at > last_read_at, TRUE) AS has_before,
        if(sweep_number - coalesce(before_number, 0) > 1, if(before_number IS NULL, 'first', 'return'), NULL) AS kind
    FROM commits
    WINDOW
        before AS (PARTITION BY cluster, group_id, topic, partition ORDER BY to_sweep),
        earlier AS (
            PARTITION BY cluster, group_id, topic, partition ORDER BY to_sweep
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
)

SELECT
    * EXCEPT (
        usable_sweep, usable_offset, usable_topic_id, last_offset, last_read_at, last_topic_id, is_next, has_before,
        before_number, before_sweep, before_offset, before_topic_id
    ),
    CASE WHEN has_before THEN last_offset END AS from_committed_offset,
    CASE WHEN has_before THEN committed_offset - last_offset END AS records,
    CASE WHEN has_before THEN (unix_micros(read_at) - unix_micros(last_read_at)) / 1e6D END AS seconds,
    CASE WHEN kind = 'return' THEN before_number END AS before_number,
    CASE WHEN kind = 'return' THEN before_sweep END AS before_sweep,
    CASE WHEN kind = 'return' THEN before_offset END AS previous_offset,
    nullif(topic_id, '') = nullif(if(kind = 'return', before_topic_id, last_topic_id), '') AS same_topic
FROM paired
WHERE to_date(to_sweep) = :ds
