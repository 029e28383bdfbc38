-- Which disks will be full soon?
-- in:  volume_days, log_growth, broker_days, cluster_days
-- out: of the cluster what is missing; one row per volume and number, the first to be full first, and of such a volume
--      the topics that grew most on its broker
WITH ranked AS (
    SELECT
        * EXCEPT (measured_hours),
        is_filling OR is_full AS is_subject,
        usable_bytes / 1e9D AS free_gb,
        if(is_filling, pace * 86400 / 1e9D, NULL) AS growth_gb,
        -- no pace is known better
        if(is_filling, if(soonest < 0.1, round(soonest, 4), round(soonest, 1)), NULL) AS soonest_days,
        if(is_filling, if(latest < 0.1, round(latest, 4), round(latest, 1)), NULL) AS latest_days,
        if(is_filling, measured_hours, NULL) AS measured_hours,
        row_number() OVER (
            PARTITION BY cluster
            ORDER BY
                NOT is_filling, NOT is_full, if(is_filling, latest, 0) ASC, used_share DESC, broker ASC, log_dir ASC
        ) AS ordinal
    FROM volume_days
),

growing AS (
    SELECT
        r.cluster,
        r.ordinal,
        g.topic,
        g.from_at,
        g.to_at,
        g.grown_bytes / 1e9D AS topic_gb,
        row_number() OVER (PARTITION BY r.cluster, r.ordinal ORDER BY g.grown_bytes DESC, g.topic ASC) AS place
    FROM ranked AS r
    INNER JOIN log_growth AS g ON r.cluster = g.cluster AND r.broker = g.broker
    WHERE r.is_filling AND g.grown_bytes >= 0.1 * r.pace * g.seconds
),

totals AS (
    SELECT
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        try_cast(count(DISTINCT v.broker) AS DOUBLE) AS measured,
        try_cast(count(DISTINCT b.broker) AS DOUBLE) AS brokers,
        try_cast(if(measured = 0, 1, 0) AS DOUBLE) AS not_told,
        if(measured > 0, brokers - measured, 0) AS unread,
        try_cast(count(DISTINCT if(v.is_short, v.broker, NULL)) AS DOUBLE) AS too_short
    FROM cluster_days AS c
    LEFT JOIN broker_days AS b ON c.cluster = b.cluster AND b.is_broker
    LEFT JOIN volume_days AS v ON c.cluster = v.cluster AND b.broker = v.broker
    GROUP BY c.cluster, c.first_sweep, c.last_sweep
)

SELECT
    cluster,
    metric,
    'broker' AS kind,
    cast(broker AS STRING) AS object_name,
    log_dir AS object_detail,
    ordinal,
    amount,
    if(metric IN ('used_share', 'free_gb'), to_at, from_at) AS from_at,
    to_at,
    is_subject
FROM ranked
    UNPIVOT (
        amount FOR metric IN (soonest_days, latest_days, used_share, free_gb, growth_gb, measured_hours)
    )
UNION ALL
SELECT
    cluster,
    'topic_gb' AS metric,
    'topic' AS kind,
    topic AS object_name,
    NULL AS object_detail,
    ordinal,
    topic_gb AS amount,
    from_at,
    to_at,
    TRUE AS is_subject
FROM growing
WHERE place <= 3
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
    UNPIVOT (amount FOR metric IN (brokers, measured, not_told, unread, too_short))
