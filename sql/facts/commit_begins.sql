-- Where a group began with a partition, or came back to it: committed offsets that were not there at the usable sweep
-- before. A table of its own because commit_events and what it reads are made of it.
-- in:  raw_group_offsets, raw_group_assignments, group_coordinators
-- out: one row per group, partition and event that ends on the day; from_sweep as in commit_events
WITH sweeps AS (
    SELECT DISTINCT
        cluster,
        sweep_at,
        sweep_number
    FROM group_coordinators
),

commits AS (
    SELECT
        o.cluster,
        o.group_id,
        o.topic,
        o.partition,
        o.committed_offset,
        o.read_at,
        s.sweep_at,
        s.sweep_number
    FROM raw_group_offsets AS o
    INNER JOIN sweeps AS s ON o.cluster = s.cluster AND o.sweep_at = s.sweep_at
),

spans AS (
    SELECT
        cluster,
        group_id,
        topic,
        partition,
        min(sweep_number) AS first_number,
        max(sweep_number) AS last_number,
        count(*) AS times,
        min(min(sweep_number)) OVER (PARTITION BY cluster, group_id, topic) AS topic_first_number
    FROM commits
    GROUP BY cluster, group_id, topic, partition
),

-- only partitions whose commits are not there at every sweep: the window is never over all of them
broken AS (
    SELECT
        c.*,
        s.topic_first_number,
        lag(c.sweep_number, 1, 0) OVER before AS before_number,
        lag(c.sweep_at) OVER before AS before_sweep,
        lag(c.committed_offset) OVER before AS previous_offset
    FROM commits AS c
    INNER JOIN spans AS s
        ON c.cluster = s.cluster AND c.group_id = s.group_id AND c.topic = s.topic AND c.partition = s.partition
    WHERE s.first_number > 1 OR s.times < s.last_number - s.first_number + 1
    WINDOW before AS (PARTITION BY c.cluster, c.group_id, c.topic, c.partition ORDER BY c.sweep_number)
),

begun AS (
    SELECT
        *,
        CASE WHEN before_number = 0 THEN 'first' ELSE 'return' END AS kind
    FROM broken
    WHERE sweep_number - before_number > 1 AND to_date(sweep_at) = :ds
),

-- not begun with where it was not yet assigned
assigned AS (
    SELECT
        b.*,
        coalesce(min(s.sweep_number), max(b.sweep_number)) - 1 AS from_number
    FROM begun AS b
    LEFT JOIN raw_group_assignments AS a
        ON b.cluster = a.cluster AND b.group_id = a.group_id AND b.topic = a.topic AND b.partition = a.partition
    LEFT JOIN sweeps AS s
        ON
            a.cluster = s.cluster
            AND a.sweep_at = s.sweep_at
            AND b.before_number < s.sweep_number
            AND b.sweep_number > s.sweep_number
    GROUP BY ALL
)

SELECT
    a.cluster,
    a.group_id,
    a.topic,
    a.partition,
    a.committed_offset,
    a.read_at,
    a.sweep_at,
    a.sweep_number,
    a.before_number,
    a.before_sweep,
    a.previous_offset,
    a.kind,
    f.sweep_at AS from_sweep,
    f.sweep_number AS from_number,
    a.topic_first_number < a.sweep_number AS topic_read_before
FROM assigned AS a
LEFT JOIN sweeps AS f ON a.cluster = f.cluster AND a.from_number = f.sweep_number
