-- Producers that by their own count (KIP-714) gave records up while brokers refused batches, and sent none again.
-- out: one row per cluster, cause, client, topic and interval of the client; lost: records. Nothing of a client that
--      sent anything again that day, or gave up records while no batch was refused, or while some were for good: these
--      are other errors. Nor where batches waited so long that they may have expired before they were sent
WITH given_up AS (
    SELECT
        p.cluster,
        p.client,
        p.topic,
        p.to_sweep,
        max(p.client_id) AS client_id,
        max(p.errors) AS lost,
        max(p.from_at) AS from_at,
        max(p.to_at) AS to_at,
        max(e.cause) AS cause,
        count(DISTINCT coalesce(e.cause, e.error)) = 1 AND count(e.cause) = count(*) AS explained
    FROM producer_intervals AS p
    INNER JOIN retriable_errors_thresholds AS t ON p.cluster = t.cluster
    LEFT JOIN produce_errors AS e
        ON
            p.cluster = e.cluster
            AND p.to_at > e.from_at
            AND unix_micros(e.to_at) > unix_micros(p.from_at) - 1e6 * t.max_push_s
            -- errors since the start of a process, long ago, tell nothing of now
            AND unix_micros(e.to_at) - unix_micros(e.from_at)
            <= 2 * (unix_micros(p.to_at) - unix_micros(p.from_at) + 1e6 * t.max_push_s)
    WHERE p.topic IS NOT NULL AND p.errors > 0
    GROUP BY p.cluster, p.client, p.topic, p.to_sweep
),

clients AS (
    SELECT
        p.cluster,
        p.client,
        -- what was sent again in the first interval of a receiver is in its counter, and in no difference
        max(p.retries_so_far) = 0 AND count(p.retries) = count(*) AS never_again,
        max(p.queue_time_max_ms) AS queue_time_max_ms,
        count(p.queue_time_max_ms) > 0 AND max(p.queue_time_max_ms) <= max(t.max_queue_ms) AS sent_at_once
    FROM producer_intervals AS p
    INNER JOIN retriable_errors_thresholds AS t ON p.cluster = t.cluster
    WHERE p.topic IS NULL
    GROUP BY p.cluster, p.client
)

SELECT
    g.* EXCEPT (explained),
    c.queue_time_max_ms,
    min(g.explained) OVER (PARTITION BY g.cluster, g.client) AS all_explained
FROM given_up AS g
INNER JOIN clients AS c ON g.cluster = c.cluster AND g.client = c.client
WHERE c.never_again AND c.sent_at_once
QUALIFY all_explained
