-- What each producer that tells of itself sent, sent again and gave up between two sweeps. A counter is of one client
-- at one receiver; where one of them ran back, or is missing at an end, nothing is known of that counter. Where that of
-- what was sent ran back, the client began anew in between, and what it gave up is not known either.
WITH samples AS (
    SELECT
        c.*,
        coalesce(c.client_instance_id, c.client_id) AS client
    FROM raw_client_metrics AS c
    LEFT ANTI JOIN cluster_sweeps AS o ON c.cluster = o.cluster AND c.sweep_at = o.sweep_at AND o.overlapped
    WHERE c.read_at IS NOT NULL
),

deltas AS (
    SELECT
        cluster,
        client,
        client_id,
        topic,
        software_version,
        sweep_at AS to_sweep,
        read_at AS to_at,
        record_retries,
        queue_time_avg_ms,
        queue_time_max_ms,
        lag(sweep_at) OVER before AS from_sweep,
        lag(read_at) OVER before AS from_at,
        record_sends - lag(record_sends) OVER before AS sends,
        record_errors - lag(record_errors) OVER before AS errors,
        record_retries - lag(record_retries) OVER before AS retries
    FROM samples
    WINDOW before AS (PARTITION BY cluster, client, client_id, instance, topic ORDER BY sweep_at, read_at)
)

SELECT
    cluster,
    client,
    topic,
    to_sweep,
    max(client_id) AS client_id,
    min(software_version) AS software_version,
    min(from_sweep) AS from_sweep,
    min(from_at) AS from_at,
    max(to_at) AS to_at,
    if(count_if(sends < 0) = 0 AND count(sends) = count(*), try_sum(sends), NULL) AS sends,
    if(count_if(errors < 0 OR sends < 0) = 0 AND count(errors) = count(*), try_sum(errors), NULL) AS errors,
    if(count_if(retries < 0) = 0 AND count(retries) = count(*), try_sum(retries), NULL) AS retries,
    max(record_retries) AS retries_so_far,
    max(queue_time_avg_ms) AS queue_time_avg_ms,
    max(queue_time_max_ms) AS queue_time_max_ms
FROM deltas
WHERE to_date(to_sweep) = :ds AND from_at < to_at
GROUP BY cluster, client, topic, to_sweep
