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
        count(*) AS times
    FROM commits
    GROUP BY cluster, group_id, topic, partition
),

group_topics AS (
    SELECT
        cluster,
        group_id,
        topic,
        min(first_number) AS first_number
    FROM spans
    GROUP BY cluster, group_id, topic
),

-- only partitions whose commits are not there at every sweep: the window is never over all of them
broken AS (
    SELECT
        c.*,
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

assigned AS (
    SELECT
        b.cluster,
        b.group_id,
        b.topic,
        b.partition,
        b.sweep_number,
        min(s.sweep_number) AS assigned_number
    FROM begun AS b
    INNER JOIN raw_group_assignments AS a
        ON b.cluster = a.cluster AND b.group_id = a.group_id AND b.topic = a.topic AND b.partition = a.partition
    INNER JOIN sweeps AS s ON a.cluster = s.cluster AND a.sweep_at = s.sweep_at
    WHERE s.sweep_number > b.before_number AND s.sweep_number < b.sweep_number
    GROUP BY b.cluster, b.group_id, b.topic, b.partition, b.sweep_number
)

SELECT
    b.*,
    f.sweep_at AS from_sweep,
    f.sweep_number AS from_number,
    g.first_number < b.sweep_number AS topic_read_before
FROM begun AS b
INNER JOIN group_topics AS g ON b.cluster = g.cluster AND b.group_id = g.group_id AND b.topic = g.topic
LEFT JOIN assigned AS a
    ON
        b.cluster = a.cluster
        AND b.group_id = a.group_id
        AND b.topic = a.topic
        AND b.partition = a.partition
        AND b.sweep_number = a.sweep_number
LEFT JOIN sweeps AS f
    ON b.cluster = f.cluster AND coalesce(a.assigned_number, b.sweep_number) - 1 = f.sweep_number
