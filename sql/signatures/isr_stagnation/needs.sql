-- Whether metadata, log ends and the length of the day suffice to call an in-sync set frozen.
-- out: sweeps with metadata and seconds of each cluster, reads of each broker, and of each follower the in-sync sets
--      that it was out of while log ends were not read
WITH unread AS (
    SELECT
        h.cluster,
        h.follower
    FROM isr_held AS h
    INNER JOIN isr_stagnation_thresholds AS t ON h.cluster = t.cluster
    WHERE h.held_as = 'unread'
    GROUP BY h.cluster, h.follower, h.partition, h.topic, t.min_frozen_s
    HAVING try_cast(try_sum(try_cast(h.seconds AS DECIMAL(28, 9))) AS DOUBLE) >= t.min_frozen_s
)

SELECT
    cluster,
    'metadata' AS need,
    NULL AS broker,
    admin_ok + admin_partial AS amount,
    sweep_count AS total
FROM cluster_days
UNION ALL
SELECT
    cluster,
    'duration' AS need,
    NULL AS broker,
    (unix_micros(last_sweep) - unix_micros(first_sweep)) / 1e6D AS amount,
    NULL AS total
FROM cluster_days
UNION ALL
SELECT
    b.cluster,
    'log_ends' AS need,
    b.broker,
    b.ok_reads + b.partial_reads AS amount,
    c.admin_ok + c.admin_partial AS total
FROM broker_days AS b
INNER JOIN cluster_days AS c ON b.cluster = c.cluster
UNION ALL
-- a follower that was listed and not read: whether it is frozen or far behind cannot be told
SELECT
    cluster,
    'followers' AS need,
    follower AS broker,
    count(*) AS amount,
    NULL AS total
FROM unread
GROUP BY cluster, follower
UNION ALL
-- where the log of brokers is asked for its marks
SELECT
    cluster,
    'logs' AS need,
    broker,
    ok_reads AS amount,
    NULL AS total
FROM log_reads
WHERE log = 'broker'
