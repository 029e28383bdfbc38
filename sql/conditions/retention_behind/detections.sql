-- Which topics keep more on disk than their retention says?
-- in:  log_growth, disk_points, broker_days, cluster_days, retention_behind_thresholds
-- out: of the cluster what is missing; one row per topic and number, of all brokers together, the largest first
WITH disks AS (
    SELECT
        cluster,
        broker,
        max_by(total_bytes, read_at) AS total_bytes
    FROM disk_points
    GROUP BY cluster, broker, log_dir
),

rooms AS (
    SELECT
        cluster,
        broker,
        try_sum(total_bytes) AS total_bytes
    FROM disks
    GROUP BY cluster, broker
),

kept AS (
    SELECT
        g.cluster,
        g.broker,
        g.topic,
        g.from_at,
        g.to_at,
        r.total_bytes,
        t.min_disk_share,
        if(g.overdue_s > t.late_s, g.overdue_bytes, 0) AS overdue,
        -- what arrives until the next check is no excess
        greatest(0, g.over_bytes - try_divide(g.arrived_bytes, g.seconds) * t.late_s) AS oversize,
        if(g.overdue_s > t.late_s, g.overdue_s / 3600, NULL) AS late_hours
    FROM log_growth AS g
    INNER JOIN rooms AS r ON g.cluster = r.cluster AND g.broker = r.broker
    INNER JOIN retention_behind_thresholds AS t ON g.cluster = t.cluster
),

topics AS (
    SELECT
        cluster,
        topic,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        max(late_hours) AS late_hours,
        try_sum(try_cast(greatest(overdue, oversize) AS BIGINT)) / 1e9D AS excess_gb,
        max(try_divide(greatest(overdue, oversize), total_bytes)) AS disk_share,
        max(try_divide(greatest(overdue, oversize), total_bytes) >= min_disk_share) AS is_subject,
        row_number() OVER (
            PARTITION BY cluster
            ORDER BY max(try_divide(greatest(overdue, oversize), total_bytes)) DESC, topic ASC
        ) AS ordinal
    FROM kept
    WHERE overdue > 0 OR oversize > 0
    GROUP BY cluster, topic
),

totals AS (
    SELECT
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        try_cast(count(DISTINCT g.broker) AS DOUBLE) AS measured,
        if(measured > 0, try_cast(count(DISTINCT b.broker) AS DOUBLE) - measured, 0) AS unread,
        try_cast(if(measured = 0, 1, 0) AS DOUBLE) AS not_told,
        max(g.seconds) / 3600 AS seen_hours
    FROM cluster_days AS c
    LEFT JOIN broker_days AS b ON c.cluster = b.cluster AND b.is_broker
    LEFT JOIN log_growth AS g ON c.cluster = g.cluster AND b.broker = g.broker
    GROUP BY c.cluster, c.first_sweep, c.last_sweep
)

SELECT
    cluster,
    metric,
    'topic' AS kind,
    topic AS object_name,
    NULL AS object_detail,
    ordinal,
    amount,
    from_at,
    to_at,
    is_subject
FROM topics
    UNPIVOT (amount FOR metric IN (excess_gb, disk_share, late_hours))
UNION ALL
SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    amount,
    first_sweep AS from_at,
    last_sweep AS to_at,
    FALSE AS is_subject
FROM totals
    UNPIVOT (amount FOR metric IN (measured, unread, not_told, seen_hours))
