-- Producers that by their own count gave records up while brokers refused batches, and sent none again.
-- out: one row per cluster, cause, client, topic and interval of the client; lost: records; lost_by_old: of them, those
--      of a client before 2.1 by its own word or, where it does not tell, its owner's. Nothing of a client that
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
        count(p.queue_time_max_ms) > 0 AND max(p.queue_time_max_ms) <= max(t.max_queue_ms) AS sent_at_once,
        count(p.software_version) AS told_releases,
        count_if(p.software_version RLIKE '^(0|1|2[.]0)[.]') AS old_releases
    FROM producer_intervals AS p
    INNER JOIN retriable_errors_thresholds AS t ON p.cluster = t.cluster
    WHERE p.topic IS NULL
    GROUP BY p.cluster, p.client
),

named AS (
    SELECT
        cluster,
        is_old,
        explode(client_ids) AS client_id
    FROM declared_producers
),

declared AS (
    SELECT
        cluster,
        client_id,
        min(is_old) AS is_old
    FROM named
    GROUP BY cluster, client_id
)

SELECT
    g.* EXCEPT (explained),
    c.queue_time_max_ms,
    if(if(c.told_releases > 0, c.old_releases = c.told_releases, d.is_old), g.lost, NULL) AS lost_by_old,
    min(g.explained) OVER (PARTITION BY g.cluster, g.client) AS all_explained
FROM given_up AS g
INNER JOIN clients AS c ON g.cluster = c.cluster AND g.client = c.client
LEFT JOIN declared AS d ON g.cluster = d.cluster AND g.client_id = d.client_id
WHERE c.never_again AND c.sent_at_once
QUALIFY all_explained
