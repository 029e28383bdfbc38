-- Which brokers have the counters of connections, and what else is not known of them.
-- out: the shortest interval of each broker, 0 for one between sweeps; and a row for each other input that was not read
SELECT
    cluster,
    'listener_connections' AS need,
    broker,
    NULL AS reason,
    min(CASE WHEN kind = 'sweeps' THEN 0 ELSE seconds END) AS amount
FROM connection_spans
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    'listener_connections' AS need,
    broker,
    'backlog' AS reason,
    NULL AS amount
FROM connection_spans
GROUP BY cluster, broker
HAVING NOT max(backlog_known)
UNION ALL
-- where nothing is proven, the kernel's counters would have told
SELECT
    cluster,
    'listener_connections' AS need,
    broker,
    'kernel' AS reason,
    NULL AS amount
FROM reconnect_storm_detections
GROUP BY cluster, broker
HAVING min(strength) = 'suggestive' AND max(NOT host_read)
UNION ALL
SELECT
    cluster,
    'listener_connections' AS need,
    broker,
    'log' AS reason,
    NULL AS amount
FROM log_reads
WHERE log = 'kernel' AND ok_reads = 0
UNION ALL
SELECT
    cluster,
    'listener_connections' AS need,
    broker,
    'somaxconn' AS reason,
    NULL AS amount
FROM host_counters
GROUP BY cluster, broker
HAVING max(somaxconn) IS NULL
