-- How dirty the dirtiest log was, how late compaction is, and what open transactions hold back, of what is detected.
-- in:  cleaner_stuck_detections, broker_sweeps, open_transactions
-- out: one row per detected broker or partition and read of the day
SELECT
    d.cluster,
    if(d.cause = 'overdue', 'overdue', 'dirty') AS chart,
    cast(d.broker AS STRING) AS object_name,
    NULL AS object_detail,
    b.read_at AS from_at,
    b.read_at AS to_at,
    max(if(d.cause = 'overdue', b.cleaner_max_compaction_delay_seconds, b.cleaner_max_dirty_percent)) AS amount
FROM cleaner_stuck_detections AS d
INNER JOIN broker_sweeps AS b ON d.cluster = b.cluster AND d.broker = b.broker
WHERE d.ordinal <= 4 AND d.cause != 'held_back' AND b.cleaner_max_dirty_percent IS NOT NULL
GROUP BY d.cluster, chart, d.broker, b.read_at
UNION ALL
SELECT
    d.cluster,
    'held' AS chart,
    d.topic AS object_name,
    cast(d.partition_id AS STRING) AS object_detail,
    o.read_at AS from_at,
    o.read_at AS to_at,
    max(o.high_watermark - o.start_offset) AS amount
FROM cleaner_stuck_detections AS d
INNER JOIN open_transactions AS o
    ON d.cluster = o.cluster AND d.topic = o.topic AND d.partition_id = o.partition
WHERE d.ordinal <= 4 AND d.cause = 'held_back' AND o.high_watermark >= o.start_offset
GROUP BY d.cluster, d.topic, d.partition_id, o.read_at
