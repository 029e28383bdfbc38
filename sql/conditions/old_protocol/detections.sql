-- Which clients sent a version of a request today that brokers from 4.0 on refuse?
-- in:  request_versions, request_reads, broker_days, cluster_days, release_days, refused_requests,
--      old_protocol_thresholds
-- out: of the cluster how many brokers count; one row per client, and beside it, with its ordinal, one per request and
--      version and one per broker. Brokers before 3.7 tell of no client: requests there are those of nobody
WITH brokers AS (
    SELECT
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        b.broker,
        b.kafka_release,
        r.counts_clients,
        q.client_seconds,
        b.cluster IS NOT NULL AND NOT coalesce(r.is_four, FALSE) AS is_judged,
        coalesce(r.counts_clients AND q.client_seconds > 0, FALSE) AS tells,
        coalesce(r.counts_clients AND q.client_seconds >= 3600 * t.min_hours, FALSE) AS counts
    FROM cluster_days AS c
    INNER JOIN old_protocol_thresholds AS t ON c.cluster = t.cluster
    LEFT JOIN broker_days AS b ON c.cluster = b.cluster AND b.is_broker
    LEFT JOIN release_days AS r ON b.kafka_release = r.kafka_release
    LEFT JOIN request_reads AS q ON b.cluster = q.cluster AND b.broker = q.broker
),

totals AS (
    SELECT
        cluster,
        first_sweep,
        last_sweep,
        max(if(is_judged AND NOT counts_clients, kafka_release, NULL)) AS old_release,
        try_cast(count_if(is_judged) AS DOUBLE) AS brokers,
        try_cast(count_if(is_judged AND counts) AS DOUBLE) AS counted,
        try_cast(count_if(is_judged AND NOT coalesce(counts_clients, TRUE)) AS DOUBLE) AS too_old,
        try_cast(count_if(is_judged AND counts_clients AND NOT counts) AS DOUBLE) AS not_counted,
        try_cast(count_if(is_judged AND counts_clients IS NULL) AS DOUBLE) AS unknown_build,
        try_cast(count_if(broker IS NULL) AS DOUBLE) AS no_brokers,
        min(if(is_judged AND counts, client_seconds, NULL)) / 3600D AS counted_hours
    FROM brokers
    GROUP BY cluster, first_sweep, last_sweep
),

used AS (
    SELECT
        v.*,
        m.api,
        try_sum(v.requests) OVER (PARTITION BY v.cluster, v.is_by_client, v.software, v.software_version) AS all_sent
    FROM request_versions AS v
    INNER JOIN refused_requests AS m ON v.request = m.request AND try_cast(v.version AS INT) <= m.up_to
    INNER JOIN brokers AS b ON v.cluster = b.cluster AND v.broker = b.broker AND b.is_judged
    WHERE v.is_by_client = b.tells
),

ranked AS (
    SELECT
        *,
        dense_rank() OVER (
            PARTITION BY cluster
            ORDER BY is_by_client DESC, all_sent DESC, software ASC, software_version ASC
        ) AS ordinal
    FROM used
)

SELECT
    cluster,
    ordinal,
    min(first_at) AS from_at,
    max(last_at) AS to_at,
    try_cast(try_sum(requests) AS DOUBLE) AS amount,
    CASE
        WHEN broker IS NOT NULL THEN 'at'
        WHEN api IS NULL THEN 'client'
        WHEN is_by_client THEN 'request'
        ELSE 'untold'
    END AS metric,
    CASE metric WHEN 'at' THEN 'broker' WHEN 'client' THEN 'client' ELSE 'request' END AS kind,
    coalesce(cast(broker AS STRING), api, software) AS object_name,
    coalesce(version, software_version) AS object_detail,
    metric IN ('client', 'untold') AS is_subject
FROM ranked
GROUP BY
    GROUPING SETS (
        (cluster, ordinal, is_by_client, software, software_version), (cluster, ordinal, is_by_client, api, version),
        (cluster, ordinal, broker)
    )
HAVING is_by_client IS NOT FALSE OR api IS NOT NULL
UNION ALL
SELECT
    cluster,
    0 AS ordinal,
    first_sweep AS from_at,
    last_sweep AS to_at,
    amount,
    metric,
    NULL AS kind,
    NULL AS object_name,
    old_release AS object_detail,
    FALSE AS is_subject
FROM totals
    UNPIVOT (amount FOR metric IN (brokers, counted, too_old, not_counted, unknown_build, no_brokers, counted_hours))
