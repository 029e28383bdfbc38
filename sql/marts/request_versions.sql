-- Requests of the day by protocol version and broker; by client library too where the broker counts it (from 3.7 on).
-- in:  raw_requests, raw_deprecated_requests, raw_brokers, broker_intervals
-- out: one row per broker, request, version and client with requests today. A counter is made at its first event: one
--      that the read before lacks was 0 where that read was whole
WITH counters AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        request,
        version,
        software,
        software_version,
        requests,
        TRUE AS is_by_client
    FROM raw_deprecated_requests
    WHERE request != 'Fetch'  -- counted a second time, as FetchConsumer or FetchFollower
    UNION ALL
    SELECT
        cluster,
        broker,
        sweep_at,
        request,
        version,
        NULL AS software,
        NULL AS software_version,
        requests,
        FALSE AS is_by_client
    FROM raw_requests
    WHERE request IN ('Produce', 'FetchConsumer')
),

laid AS (
    SELECT
        *,
        lag(requests) OVER counter AS requests_before,
        lag(sweep_at) OVER counter AS sweep_before
    FROM counters
    WINDOW counter AS (
        PARTITION BY cluster, broker, is_by_client, request, version, software, software_version ORDER BY sweep_at
    )
),

grown AS (
    SELECT
        t.*,
        i.from_at,
        i.to_at,
        if(t.sweep_before = i.from_sweep, try_subtract(t.requests, t.requests_before), t.requests) AS today
    FROM broker_intervals AS i
    INNER JOIN laid AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
    LEFT JOIN raw_brokers AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
    WHERE
        i.same_process AND i.seconds > 0
        AND (i.kind = 'start' OR coalesce(t.sweep_before = i.from_sweep, FALSE) OR f.outcome = 'ok')
)

SELECT
    cluster,
    broker,
    is_by_client,
    request,
    version,
    software,
    software_version,
    try_sum(today) AS requests,
    min(from_at) AS first_at,
    max(to_at) AS last_at
FROM grown
WHERE today > 0
GROUP BY cluster, broker, is_by_client, request, version, software, software_version
