-- Produce errors of each interval by what causes them, and whether producers without retries may have been connected.
-- out: one row per broker, interval and error code but NONE; batches: of all codes. cause null: a retry does not mend
--      it, or not as a rule. may_lose: clients were seen or declared that may not try again; client_share: at most
WITH declared AS (
    SELECT
        cluster,
        max(without_retries) AS without_retries
    FROM declared_producers
    GROUP BY cluster
),

clients AS (
    SELECT
        cluster,
        sweep_at,
        try_sum(connections) AS connections,
        try_sum(greatest(old_java, old_java_before)) AS old_java,
        greatest(try_sum(nameless), try_sum(coalesce(nameless_before, nameless))) AS nameless,
        least(try_sum(nameless), try_sum(coalesce(nameless_before, nameless))) AS nameless_twice
    FROM listener_clients
    GROUP BY cluster, sweep_at
)

SELECT
    e.cluster,
    e.broker,
    e.kind,
    e.from_at,
    e.to_at,
    e.to_sweep,
    e.error,
    e.errors,
    c.nameless,
    c.old_java,
    try_sum(e.errors) OVER (PARTITION BY e.cluster, e.broker, e.to_sweep, e.kind) AS batches,
    try_divide(least(c.nameless + c.old_java, c.connections), c.connections) AS client_share,
    CASE
        WHEN e.error IN ('NOT_ENOUGH_REPLICAS', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND') THEN 'min_isr'
        WHEN e.error = 'REQUEST_TIMED_OUT' THEN 'timeout'
        WHEN
            e.error IN (
                'NOT_LEADER_OR_FOLLOWER', 'NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE', 'KAFKA_STORAGE_ERROR'
            )
            THEN 'election'
    END AS cause,
    coalesce(
        d.without_retries
        OR c.old_java > 0
        -- one connection in one sweep may be any client that is just saying who it is
        OR (c.nameless >= t.min_nameless AND c.nameless_twice >= 1)
        OR (d.cluster IS NOT NULL AND (c.cluster IS NULL OR c.nameless > 0)),
        FALSE
    ) AS may_lose
FROM error_counters AS e
INNER JOIN retriable_errors_thresholds AS t ON e.cluster = t.cluster
LEFT JOIN clients AS c ON e.cluster = c.cluster AND e.to_sweep = c.sweep_at
LEFT JOIN declared AS d ON e.cluster = d.cluster
WHERE e.request = 'Produce'
QUALIFY e.error != 'NONE'
