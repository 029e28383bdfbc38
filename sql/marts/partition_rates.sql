-- Records appended per partition and interval, read on its leader. Log ends cross restarts of the broker.
WITH beside AS (
    SELECT
        i.cluster,
        i.broker,
        p.topic,
        p.partition,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        p.previous_log_end_offset AS from_log_end_offset,
        p.previous_log_start_offset AS from_log_start_offset,
        p.log_end_offset,
        p.log_start_offset
    FROM raw_partitions AS p
    INNER JOIN broker_intervals AS i ON p.cluster = i.cluster AND p.broker = i.broker AND p.sweep_at = i.to_sweep
    WHERE
        i.laid_beside AND i.kind = 'sweeps' AND i.seconds > 0 AND p.previous_log_end_offset IS NOT NULL
        AND p.replicas_count > 0 AND p.log_end_offset >= 0
),

-- where a sweep lies between that the broker did not answer, was damaged, or came late: both ends of each
others AS (
    SELECT
        *,
        explode(array(from_sweep, to_sweep)) AS sweep_at
    FROM broker_intervals
    WHERE NOT laid_beside AND kind = 'sweeps' AND seconds > 0
),

apart AS (
    SELECT
        i.cluster,
        i.broker,
        p.topic,
        p.partition,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        max(CASE WHEN p.sweep_at = i.from_sweep THEN p.log_end_offset END) AS from_log_end_offset,
        max(CASE WHEN p.sweep_at = i.from_sweep THEN p.log_start_offset END) AS from_log_start_offset,
        max(CASE WHEN p.sweep_at = i.to_sweep THEN p.log_end_offset END) AS log_end_offset,
        max(CASE WHEN p.sweep_at = i.to_sweep THEN p.log_start_offset END) AS log_start_offset
    FROM raw_partitions AS p
    INNER JOIN others AS i ON p.cluster = i.cluster AND p.broker = i.broker AND p.sweep_at = i.sweep_at
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY ALL
),

either AS (
    SELECT * FROM beside
    UNION ALL
    SELECT * FROM apart
    WHERE from_log_end_offset IS NOT NULL AND log_end_offset IS NOT NULL
),

spans AS (
    SELECT DISTINCT
        cluster,
        from_sweep,
        to_sweep
    FROM broker_intervals
    WHERE kind = 'sweeps'
),

recreated AS (
    SELECT
        s.cluster,
        s.from_sweep,
        s.to_sweep,
        t.topic
    FROM spans AS s
    INNER JOIN topic_shapes AS t ON s.cluster = t.cluster AND s.to_sweep = t.sweep_at
    INNER JOIN topic_shapes AS f ON s.cluster = f.cluster AND s.from_sweep = f.sweep_at AND t.topic = f.topic
    WHERE t.topic_id != f.topic_id
)

-- topics that were created anew are few; the size of such a join is not known to the planner
SELECT /*+ broadcast(r) */
    e.* EXCEPT (from_log_start_offset, log_start_offset),
    e.log_end_offset - e.from_log_end_offset AS records,
    e.log_end_offset < e.from_log_end_offset
    OR e.log_start_offset < e.from_log_start_offset
    OR r.topic IS NOT NULL AS went_back
FROM either AS e
LEFT JOIN recreated AS r
    ON e.cluster = r.cluster AND e.from_sweep = r.from_sweep AND e.to_sweep = r.to_sweep AND e.topic = r.topic
