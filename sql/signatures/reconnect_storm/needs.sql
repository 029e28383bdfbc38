-- Which brokers have the counters of connections, and what else is not known of them.
-- in:  broker_days, connection_spans, storms, host_counters, reconnect_storm_thresholds
-- out: one row per broker for its counters, and one for each other input that was not read
WITH spans AS (
    SELECT
        s.cluster,
        s.broker,
        max(s.backlog_known) AS backlog_known,
        max(s.kind = 'sweeps' OR s.seconds <= t.burst_s) AS is_read
    FROM connection_spans AS s
    INNER JOIN reconnect_storm_thresholds AS t ON s.cluster = t.cluster
    GROUP BY s.cluster, s.broker
),

hosts AS (
    SELECT
        cluster,
        broker,
        max(somaxconn IS NOT NULL) AS has_limits
    FROM host_counters
    GROUP BY cluster, broker
),

-- where nothing is proven, the kernel's counters would have told
doubts AS (
    SELECT
        cluster,
        broker,
        max(NOT host_read) AS without_host
    FROM storms
    GROUP BY cluster, broker
    HAVING min(strength) = 'suggestive'
)

SELECT
    b.cluster,
    'listener_connections' AS need,
    b.broker,
    n.reason,
    CASE WHEN n.reason IS NULL THEN coalesce(s.is_read, FALSE) END AS is_met
FROM broker_days AS b
LEFT JOIN spans AS s ON b.cluster = s.cluster AND b.broker = s.broker
LEFT JOIN hosts AS h ON b.cluster = h.cluster AND b.broker = h.broker
LEFT JOIN doubts AS d ON b.cluster = d.cluster AND b.broker = d.broker
INNER JOIN (VALUES (NULL), ('backlog'), ('kernel'), ('somaxconn')) AS n (reason)
    ON
        n.reason IS NULL
        OR (n.reason = 'backlog' AND NOT s.backlog_known)
        OR (n.reason = 'kernel' AND d.without_host)
        OR (n.reason = 'somaxconn' AND NOT h.has_limits)
WHERE b.is_broker
