-- Were there Produce errors that a retry mends, while producers that may not retry were connected?
-- out: one row per cluster, cause, broker and interval, with numbers of the cause. Suggestive, since brokers count
--      errors and not lost records, unless a producer's own metrics tell of these. batches: all of these intervals;
--      apart: errors of the cluster that no retry mends
WITH losses AS (
    SELECT
        cluster,
        cause,
        try_sum(lost) AS lost,
        try_sum(lost_by_old) AS lost_by_old,
        count(*) AS lost_batches,
        max(queue_time_max_ms) AS queue_time_max_ms,
        min(from_at) AS lost_from,
        max(to_at) AS lost_to
    FROM producer_losses
    GROUP BY cluster, cause
),

judged AS (
    SELECT
        e.* EXCEPT (may_lose),
        l.lost,
        l.lost_by_old,
        l.lost_batches,
        l.queue_time_max_ms,
        l.lost_from,
        l.lost_to,
        e.may_lose OR l.cluster IS NOT NULL AS may_lose
    FROM produce_errors AS e
    LEFT JOIN losses AS l ON e.cluster = l.cluster AND e.cause = l.cause
),

summed AS (
    SELECT
        cluster,
        cause,
        may_lose,
        broker,
        to_sweep,
        min(min(from_at)) OVER of_cause AS from_at,
        max(max(to_at)) OVER of_cause AS to_at,
        try_sum(try_sum(errors)) OVER of_cause AS errors,
        try_sum(max(batches)) OVER of_cause AS batches,
        max(max(nameless)) OVER of_cause AS nameless,
        max(max(old_java)) OVER of_cause AS old_java,
        max(max(client_share)) OVER of_cause AS share_at_most,
        try_sum(try_sum(errors)) OVER (PARTITION BY cluster, cause, may_lose, broker) AS broker_errors,
        try_sum(try_sum(if(cause IS NULL, errors, NULL))) OVER (PARTITION BY cluster) AS apart,
        max(lost) AS lost,
        max(lost_by_old) AS lost_by_old,
        max(lost_batches) AS lost_batches,
        max(queue_time_max_ms) AS queue_time_max_ms,
        max(lost_from) AS lost_from,
        max(lost_to) AS lost_to
    FROM judged
    GROUP BY cluster, cause, may_lose, broker, kind, to_sweep
    WINDOW of_cause AS (PARTITION BY cluster, cause, may_lose)
)

SELECT
    s.cluster,
    s.cause,
    s.broker,
    s.to_sweep,
    s.from_at,
    s.to_at,
    s.errors,
    s.share_at_most,
    s.apart,
    s.lost,
    s.lost_by_old,
    s.queue_time_max_ms,
    s.lost_from,
    s.lost_to,
    if(s.lost > 0, 'conclusive', 'suggestive') AS strength,
    coalesce(s.lost_batches, 0) AS lost_at_least,
    nullif(s.nameless, 0) AS nameless,
    nullif(s.old_java, 0) AS old_java,
    try_divide(s.errors, s.batches) AS error_share,
    row_number() OVER (
        PARTITION BY s.cluster ORDER BY s.errors DESC, s.cause ASC, s.broker_errors DESC, s.broker ASC, s.to_sweep ASC
    ) AS ordinal
FROM summed AS s
INNER JOIN retriable_errors_thresholds AS t ON s.cluster = t.cluster
WHERE s.cause IS NOT NULL AND s.may_lose AND s.errors >= t.min_errors
