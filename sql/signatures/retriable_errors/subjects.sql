-- Clients and topics of what was detected: producers that tell of losses, fleets that owners declare, listeners by what
-- connects there, short topics, and those of the losses.
-- out: one row per cluster, cause and client or topic; topics with the most failed batches first. Brokers count failed
--      batches by topic for want of replicas, and not for the other causes
WITH lost AS (
    SELECT
        l.cluster,
        l.cause,
        l.client,
        l.topic,
        max(l.client_id) AS client_id,
        try_sum(l.lost) AS lost
    FROM producer_losses AS l
    LEFT SEMI JOIN retriable_errors_detections AS d ON l.cluster = d.cluster AND l.cause = d.cause
    GROUP BY l.cluster, l.cause, l.client, l.topic
)

SELECT DISTINCT
    d.cluster,
    d.cause,
    0 AS ordinal,
    p.software,
    p.versions,
    coalesce(p.listener, '') AS listener,
    NULL AS old_java_on,
    NULL AS nameless_on,
    NULL AS topic,
    NULL AS producer
FROM retriable_errors_detections AS d
INNER JOIN declared_producers AS p ON d.cluster = p.cluster
UNION ALL
SELECT DISTINCT
    d.cluster,
    d.cause,
    0 AS ordinal,
    NULL AS software,
    NULL AS versions,
    NULL AS listener,
    if(o.old_java > 0 OR o.old_java_before > 0, o.listener, NULL) AS old_java_on,
    if(o.nameless > 0 OR o.nameless_before > 0, o.listener, NULL) AS nameless_on,
    NULL AS topic,
    NULL AS producer
FROM retriable_errors_detections AS d
INNER JOIN listener_clients AS o ON d.cluster = o.cluster AND d.to_sweep = o.sweep_at
UNION ALL
SELECT
    d.cluster,
    d.cause,
    row_number() OVER (PARTITION BY d.cluster, d.cause ORDER BY try_sum(f.failed_batches) DESC, f.topic ASC) AS ordinal,
    NULL AS software,
    NULL AS versions,
    NULL AS listener,
    NULL AS old_java_on,
    NULL AS nameless_on,
    f.topic,
    NULL AS producer
FROM retriable_errors_detections AS d
INNER JOIN topic_counters AS f ON d.cluster = f.cluster AND d.broker = f.broker AND d.to_sweep = f.to_sweep
WHERE d.cause = 'min_isr' AND f.failed_batches > 0
GROUP BY d.cluster, d.cause, f.topic
UNION ALL
SELECT
    cluster,
    cause,
    row_number() OVER (PARTITION BY cluster, cause ORDER BY try_sum(lost) DESC, min(client) ASC) AS ordinal,
    NULL AS software,
    NULL AS versions,
    NULL AS listener,
    NULL AS old_java_on,
    NULL AS nameless_on,
    NULL AS topic,
    coalesce(client_id, client) AS producer
FROM lost
GROUP BY cluster, cause, coalesce(client_id, client)
UNION ALL
SELECT
    l.cluster,
    l.cause,
    row_number() OVER (PARTITION BY l.cluster, l.cause ORDER BY try_sum(l.lost) DESC, l.topic ASC) AS ordinal,
    NULL AS software,
    NULL AS versions,
    NULL AS listener,
    NULL AS old_java_on,
    NULL AS nameless_on,
    l.topic,
    NULL AS producer
FROM lost AS l
-- which are named above
WHERE l.cause != 'min_isr'
GROUP BY l.cluster, l.cause, l.topic
