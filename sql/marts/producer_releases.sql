-- Which releases of the Java library producers told today, by client.id, where metrics of clients are read.
-- in:  raw_client_metrics
WITH told AS (
    SELECT
        cluster,
        client_id,
        software_version,
        read_at,
        max(software_version) OVER (PARTITION BY cluster, client_id, client_instance_id) AS of_process
    FROM raw_client_metrics
    WHERE client_id IS NOT NULL AND topic IS NULL AND read_at IS NOT NULL AND to_date(sweep_at) = :ds
)

SELECT
    cluster,
    client_id,
    software_version,
    min(read_at) AS first_seen,
    max(read_at) AS last_seen
FROM told
-- a process that told it at one sweep told it
WHERE software_version IS NOT NULL OR of_process IS NULL
GROUP BY cluster, client_id, software_version
