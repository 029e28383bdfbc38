-- Which releases do the processes of a cluster run?
-- out: one row per process, its release as detail, and one per release; the rarest release first. Of the cluster: how
--      many releases there are and, where there are several, the hours since the last of the processes was started
WITH processes AS (
    SELECT
        *,
        count(*) OVER (PARTITION BY cluster, kafka_release) AS on_this,
        min(kafka_release) OVER (PARTITION BY cluster) < max(kafka_release) OVER (PARTITION BY cluster) AS mixed,
        max(process_start) OVER (PARTITION BY cluster) AS last_start,
        max(last_read) OVER (PARTITION BY cluster) AS cluster_read
    FROM broker_days
),

releases AS (
    SELECT
        cluster,
        kafka_release,
        min(first_read) AS first_read,
        max(last_read) AS last_read,
        max(last_start) AS last_start,
        max(cluster_read) AS cluster_read,
        try_cast(count(*) AS DOUBLE) AS brokers,
        try_cast(count(*) OVER (PARTITION BY cluster) AS DOUBLE) AS releases,
        (unix_micros(max(cluster_read)) - unix_micros(max(last_start))) / 3600e6D AS hours_since_start,
        count(*) OVER (PARTITION BY cluster) AS release_count,
        row_number() OVER (PARTITION BY cluster ORDER BY count(*), kafka_release) AS rarest
    FROM processes
    WHERE kafka_release IS NOT NULL
    GROUP BY cluster, kafka_release
)

SELECT
    cluster,
    CASE WHEN kafka_release IS NULL THEN 'unread' ELSE 'process' END AS metric,
    CASE WHEN is_broker THEN 'broker' ELSE 'controller' END AS kind,
    cast(broker AS STRING) AS object_name,
    kafka_release AS object_detail,
    row_number() OVER (PARTITION BY cluster ORDER BY on_this, kafka_release, broker) AS ordinal,
    NULL AS amount,
    NULL AS from_at,
    NULL AS to_at,
    coalesce(mixed AND kafka_release IS NOT NULL, FALSE) AS is_subject
FROM processes
UNION ALL
SELECT
    cluster,
    metric,
    CASE WHEN metric = 'brokers' THEN 'release' END AS kind,
    CASE WHEN metric = 'brokers' THEN kafka_release END AS object_name,
    NULL AS object_detail,
    CASE metric WHEN 'brokers' THEN rarest WHEN 'hours_since_start' THEN 1 + release_count ELSE 0 END AS ordinal,
    amount,
    CASE WHEN metric = 'hours_since_start' THEN last_start ELSE first_read END AS from_at,
    CASE WHEN metric = 'brokers' THEN last_read ELSE cluster_read END AS to_at,
    FALSE AS is_subject
FROM releases UNPIVOT (amount FOR metric IN (brokers, releases, hours_since_start))
WHERE metric = 'brokers' OR (rarest = 1 AND (metric = 'releases' OR release_count > 1))
