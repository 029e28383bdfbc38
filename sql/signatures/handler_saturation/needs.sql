-- Of which brokers it is known whether their handlers and network threads had idle time.
-- in:  handler_states
-- out: intervals of each broker that tell it, total those in which two pools were counted as one; intervals that count
--      the whole of their time and the queue; intervals of network threads; of those in which handlers stood still, the
--      ones whose threads the JVM looked through, total those in which it found some and they were not named
SELECT
    cluster,
    'handlers' AS need,
    broker,
    count_if(is_told OR cause IS NOT NULL) AS amount,
    count_if(both_pools AND NOT is_told) AS total
FROM handler_states
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    'queue' AS need,
    broker,
    -- of a node that is controller as well the queue is not told, and answers stand for it
    count_if(handler_idle IS NOT NULL AND coalesce(queue_size, try_add(requests, held)) IS NOT NULL) AS amount,
    NULL AS total
FROM handler_states
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    'network' AS need,
    broker,
    count(network_idle) AS amount,
    NULL AS total
FROM handler_states
GROUP BY cluster, broker
UNION ALL
SELECT
    cluster,
    'circle' AS need,
    broker,
    count(deadlocked_handlers) AS amount,
    count_if(deadlocked_threads > 0 AND deadlocked_handlers IS NULL) AS total
FROM handler_states
WHERE cause = 'deadlock'
GROUP BY cluster, broker
