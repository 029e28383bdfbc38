-- Produce errors of each interval by what causes them, and whether producers without retries may have been connected.
-- in:  error_counts, client_sweeps, declared_producers
-- out: one row per broker, interval and error code but NONE. cause null: a retry does not mend it, or not as a rule.
--      may_lose: clients were seen or declared that may not try again.
WITH declared AS (
    SELECT
        cluster,
        max(without_retries) AS without_retries,
        max(default_zero) AS default_zero
    FROM declared_producers
    GROUP BY cluster
),

totals AS (
    SELECT
        cluster,
        broker,
        to_sweep,
        kind,
        try_sum(errors) AS batches
    FROM error_counts
    WHERE request = 'Produce'
    GROUP BY cluster, broker, to_sweep, kind
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
    t.batches,
    s.connections,
    s.nameless_on,
    s.old_java_on,
    s.old_java_either AS old_java,
    greatest(s.nameless, s.nameless_before) AS nameless,
    CASE
        WHEN
            e.error IN (
                'NOT_LEADER_OR_FOLLOWER', 'NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE', 'KAFKA_STORAGE_ERROR'
            )
            THEN 'election'
        WHEN e.error IN ('NOT_ENOUGH_REPLICAS', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND') THEN 'min_isr'
        WHEN e.error = 'REQUEST_TIMED_OUT' THEN 'timeout'
    END AS cause,
    -- Kafka calls these retriable too, but a second try is not what mends them
    e.error IN (
        'UNKNOWN_TOPIC_OR_PARTITION', 'CORRUPT_MESSAGE', 'CONCURRENT_TRANSACTIONS', 'COORDINATOR_LOAD_IN_PROGRESS',
        'COORDINATOR_NOT_AVAILABLE', 'NOT_COORDINATOR', 'THROTTLING_QUOTA_EXCEEDED'
    ) AS other_retriable,
    coalesce(
        d.without_retries
        OR s.old_java_either > 0
        -- one connection in one sweep may be any client that is just saying who it is
        OR (
            greatest(s.nameless, s.nameless_before) >= :min_nameless
            AND least(s.nameless, s.nameless_before) >= 1
        )
        OR (d.default_zero AND (s.cluster IS NULL OR greatest(s.nameless, s.nameless_before) > 0)),
        FALSE
    ) AS may_lose
FROM error_counts AS e
INNER JOIN totals AS t
    ON e.cluster = t.cluster AND e.broker = t.broker AND e.to_sweep = t.to_sweep AND e.kind = t.kind
LEFT JOIN client_sweeps AS s ON e.cluster = s.cluster AND e.to_sweep = s.sweep_at
LEFT JOIN declared AS d ON e.cluster = d.cluster
WHERE e.request = 'Produce' AND e.error != 'NONE' AND array_contains(:clusters, e.cluster)
