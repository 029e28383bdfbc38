-- Broker settings at the last sweep of the day that read them.
-- in:  raw_broker_configs
-- out: one row per cluster, broker and setting
WITH settings AS (
    SELECT
        cluster,
        broker,
        name,
        max_by(struct(value, redacted, source, is_default), sweep_at) AS last_read
    FROM raw_broker_configs
    WHERE to_date(sweep_at) = :ds
    GROUP BY cluster, broker, name
)

SELECT
    s.cluster,
    s.broker,
    s.name,
    s.last_read.redacted,
    s.last_read.is_default,
    coalesce(s.last_read.value, '') AS config_value,
    coalesce(s.last_read.source, '') AS config_source
FROM settings AS s
