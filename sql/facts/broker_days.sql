-- What each broker was at its last read of the day.
-- in:  raw_brokers, raw_broker_metrics, raw_broker_configs
-- out: one row per broker that any sweep of the day names; release and roles are null when never read
WITH roles AS (
    SELECT
        cluster,
        broker,
        max_by(value, sweep_at) FILTER (WHERE name = 'process.roles') AS process_roles,
        max(name != 'process.roles' AND value LIKE '%SSL%') AS tls_listener
    FROM raw_broker_configs
    WHERE name IN ('process.roles', 'listeners', 'advertised.listeners', 'listener.security.protocol.map')
    GROUP BY cluster, broker
)

SELECT
    b.cluster,
    b.broker,
    max_by(b.host, b.sweep_at) FILTER (WHERE b.host IS NOT NULL) AS advertised_host,
    max_by(b.rack, b.sweep_at) FILTER (WHERE b.host IS NOT NULL) AS rack,
    max_by(b.jolokia_url, b.sweep_at) AS jolokia_url,
    max_by(b.is_broker, b.sweep_at) AS is_broker,
    max_by(m.release, b.sweep_at) FILTER (WHERE m.release IS NOT NULL) AS kafka_release,
    max(r.process_roles) AS process_roles,
    max(r.tls_listener) AS tls_listener,
    coalesce(max(m.active_controller), 0) > 0 AS was_active_controller,
    count_if(b.outcome = 'ok') AS ok_reads,
    count_if(b.outcome = 'partial') AS partial_reads,
    count_if(b.outcome = 'truncated') AS truncated_reads,
    count_if(b.outcome = 'failed') AS failed_reads,
    count_if(b.host IS NOT NULL) AS listed_reads,
    sort_array(collect_set(b.kind)) AS failure_kinds,
    sort_array(collect_set(b.detail)) AS failure_details,
    max_by(b.missing, b.sweep_at) FILTER (WHERE b.read_at IS NOT NULL) AS missing_mbeans
FROM raw_brokers AS b
LEFT JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
LEFT JOIN roles AS r ON b.cluster = r.cluster AND b.broker = r.broker
WHERE to_date(b.sweep_at) = :ds
GROUP BY b.cluster, b.broker
