-- At how many sweeps of today metrics that clients push were read, where they are declared and some sweep lacks them.
-- in:  raw_sweeps
SELECT
    cluster,
    count_if(client_metrics_detail IS NULL) AS whole_sweeps,
    count_if(client_metrics_detail IS NOT NULL) AS unread_sweeps
FROM raw_sweeps
WHERE to_date(sweep_at) = :ds
GROUP BY cluster
HAVING max(client_metrics_detail) IS NOT NULL
