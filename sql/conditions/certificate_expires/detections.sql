-- Which certificates expire soon?
-- in:  certificate_days, cluster_days, certificate_expires_thresholds
-- out: of the cluster how many addresses speak TLS; one row per certificate with its days, beside it, with the same
--      ordinal, one with the names of subject and issuer; one per address that was not read. The first to expire is
--      first
WITH judged AS (
    SELECT
        d.*,
        t.warn_days,
        t.urgent_days,
        (unix_micros(d.not_after) - unix_micros(d.read_at)) / 86400e6D AS days_left,
        row_number() OVER (PARTITION BY d.cluster ORDER BY d.not_after ASC NULLS LAST, d.service ASC, d.address ASC)
            AS ordinal
    FROM certificate_days AS d
    INNER JOIN certificate_expires_thresholds AS t ON d.cluster = t.cluster
    WHERE d.tls
),

totals AS (
    SELECT
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        try_cast(count(d.cluster) AS DOUBLE) AS addresses,
        try_cast(count_if(d.tls) AS DOUBLE) AS certificates,
        try_cast(if(count(d.cluster) = 0, 1, 0) AS DOUBLE) AS not_collected,
        -- without the Kafka protocol nobody knows the listeners that brokers advertise
        try_cast(
            if(count(d.cluster) > 0 AND count_if(d.tls) = 0 AND c.admin_ok + c.admin_partial = 0, 1, 0) AS DOUBLE
        ) AS not_listed
    FROM cluster_days AS c
    LEFT JOIN certificate_days AS d ON c.cluster = d.cluster
    GROUP BY c.cluster, c.first_sweep, c.last_sweep, c.admin_ok, c.admin_partial
)

SELECT
    cluster,
    CASE
        WHEN days_left IS NULL THEN 'unread'
        WHEN days_left < urgent_days THEN 'urgent'
        WHEN days_left < warn_days THEN 'soon'
        ELSE 'later'
    END AS metric,
    service AS kind,
    address AS object_name,
    if(days_left IS NULL, last_detail, cast(broker AS STRING)) AS object_detail,
    ordinal,
    days_left AS amount,
    read_at AS from_at,
    read_at AS to_at,
    coalesce(days_left < warn_days, FALSE) AS is_subject
FROM judged
UNION ALL
SELECT
    cluster,
    'names' AS metric,
    service AS kind,
    subject AS object_name,
    issuer AS object_detail,
    ordinal,
    NULL AS amount,
    NULL AS from_at,
    not_after AS to_at,
    FALSE AS is_subject
FROM judged
WHERE days_left IS NOT NULL
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
    UNPIVOT (amount FOR metric IN (addresses, certificates, not_collected, not_listed))
