-- Which processes run a release line that the project does not patch any more?
-- out: one row per process, and one per release without fixes, its newest patch as detail; the release of the most
--      processes first. A vendor's build has a support of its own, so it answers nothing.
WITH processes AS (
    SELECT
        p.*,
        r.newest_patch,
        coalesce(NOT r.supported, FALSE) AS unsupported,
        CASE
            WHEN p.kafka_release IS NULL THEN 'unread'
            WHEN r.comparable THEN 'process'
            ELSE 'unknown_build'
        END AS metric,
        count(*) OVER (PARTITION BY p.cluster, p.kafka_release) AS on_this
    FROM broker_days AS p
    LEFT JOIN release_days AS r ON p.kafka_release = r.kafka_release
)

SELECT
    cluster,
    metric,
    CASE WHEN is_broker THEN 'broker' ELSE 'controller' END AS kind,
    cast(broker AS STRING) AS object_name,
    kafka_release AS object_detail,
    row_number() OVER (PARTITION BY cluster ORDER BY on_this DESC, kafka_release ASC, broker ASC) AS ordinal,
    NULL AS amount,
    NULL AS from_at,
    NULL AS to_at,
    unsupported AS is_subject
FROM processes
UNION ALL
SELECT
    cluster,
    'brokers' AS metric,
    'release' AS kind,
    kafka_release AS object_name,
    max(newest_patch) AS object_detail,
    row_number() OVER (PARTITION BY cluster ORDER BY count(*) DESC, kafka_release ASC) AS ordinal,
    count(*) AS amount,
    min(first_read) AS from_at,
    max(last_read) AS to_at,
    FALSE AS is_subject
FROM processes
WHERE unsupported
GROUP BY cluster, kafka_release
