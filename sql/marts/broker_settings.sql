-- Broker settings at the last sweep of the day that read them.
SELECT
    cluster,
    broker,
    name,
    max_by(redacted, last_sweep_at) AS redacted,
    max_by(is_default, last_sweep_at) AS is_default,
    max_by(coalesce(value, ''), last_sweep_at) AS config_value
FROM raw_broker_configs
WHERE to_date(last_sweep_at) = :ds
GROUP BY cluster, broker, name
