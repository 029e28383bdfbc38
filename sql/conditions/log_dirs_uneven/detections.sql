-- Is one disk of a broker much fuller than another one of it?
-- in:  disk_points, broker_days, cluster_days, log_dirs_uneven_thresholds
-- out: of the cluster what is missing; of each broker with several volumes the fullest and the emptiest, and what is
--      between them
WITH volumes AS (
    SELECT
        cluster,
        broker,
        log_dir,
        max(read_at) AS to_at,
        max_by(try_divide(used_bytes, total_bytes), read_at) AS used_share
    FROM disk_points
    GROUP BY cluster, broker, log_dir
),

brokers AS (
    SELECT
        cluster,
        broker,
        max(to_at) AS to_at,
        max(used_share) AS fullest,
        min(used_share) AS emptiest,
        max_by(log_dir, used_share) AS full_dir,
        min_by(log_dir, used_share) AS empty_dir
    FROM volumes
    GROUP BY cluster, broker
    HAVING count(*) > 1
),

compared AS (
    SELECT
        b.*,
        b.fullest - b.emptiest AS difference,
        difference >= t.min_difference AND b.fullest >= t.min_used_share AS is_subject,
        row_number() OVER (PARTITION BY b.cluster ORDER BY b.fullest - b.emptiest DESC, b.broker ASC) AS ordinal
    FROM brokers AS b
    INNER JOIN log_dirs_uneven_thresholds AS t ON b.cluster = t.cluster
),

totals AS (
    SELECT
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        try_cast(count(DISTINCT v.broker) AS DOUBLE) AS measured,
        if(measured > 0, try_cast(count(DISTINCT b.broker) AS DOUBLE) - measured, 0) AS unread,
        try_cast(if(measured = 0, 1, 0) AS DOUBLE) AS not_told
    FROM cluster_days AS c
    LEFT JOIN broker_days AS b ON c.cluster = b.cluster AND b.is_broker
    LEFT JOIN volumes AS v ON c.cluster = v.cluster AND b.broker = v.broker
    GROUP BY c.cluster, c.first_sweep, c.last_sweep
)

SELECT
    cluster,
    metric,
    'broker' AS kind,
    cast(broker AS STRING) AS object_name,
    CASE metric WHEN 'fullest' THEN full_dir WHEN 'emptiest' THEN empty_dir END AS object_detail,
    ordinal,
    amount,
    to_at AS from_at,
    to_at,
    is_subject
FROM compared
    UNPIVOT (amount FOR metric IN (difference, fullest, emptiest))
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
    UNPIVOT (amount FOR metric IN (measured, unread, not_told))
