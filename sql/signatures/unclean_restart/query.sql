-- Did brokers start again without having been shut down in a controlled way?
-- in:  judged_restarts, config_days
-- out: one row per cluster and cause that is detected; signature.yaml has the words and the thresholds
WITH settings AS (
    SELECT
        cluster,
        min(CASE WHEN name = 'controlled.shutdown.enable' THEN if(config_value = 'true', 1, 0) END) AS is_enabled,
        min(CASE WHEN name = 'controlled.shutdown.max.retries' THEN try_cast(config_value AS DOUBLE) END) AS retries,
        min(
            CASE WHEN name = 'controlled.shutdown.retry.backoff.ms' THEN try_cast(config_value AS DOUBLE) / 1000 END
        ) AS backoff_s
    FROM config_days
    GROUP BY cluster
),

-- of several brokers that stopped together some were killed: they are named only where none is known to have been
ranked AS (
    SELECT
        *,
        CASE
            WHEN judged_as = 'killed' THEN 'killed'
            WHEN
                judged_as = 'some_killed'
                AND (is_proven OR NOT max(judged_as = 'killed') OVER (PARTITION BY cluster))
                THEN 'killed'
            WHEN judged_as NOT IN ('killed', 'some_killed') AND (is_long OR is_proven) THEN 'long_recovery'
        END AS cause
    FROM judged_restarts
),

-- what is proven is not mixed with what only may be so
proofs AS (
    SELECT
        *,
        max(is_proven) OVER (PARTITION BY cluster, cause) AS any_proven
    FROM ranked
    WHERE cause IS NOT NULL
),

by_broker AS (
    SELECT
        cluster,
        cause,
        broker,
        any_proven,
        count(*) AS times,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        max(controlled_shutdowns) AS controlled_shutdowns,
        max(stops) AS stops,
        max(fenced_brokers) AS fenced_brokers,
        max(controlled_shutdown_brokers) AS controlled_shutdown_brokers,
        max(refused_registrations) AS refused_registrations,
        max(start_seconds) AS start_seconds,
        min(usual_seconds) AS usual_seconds,
        max(remaining_logs) AS remaining_logs,
        max(sequence_errors) AS sequence_errors,
        max(invalid_records) AS invalid_records,
        try_sum(known_ids) AS known_ids,
        try_sum(lost_ids) AS lost_ids,
        array_distinct(flatten(collect_list(coalesce(topics, array())))) AS topics
    FROM proofs
    WHERE is_proven = any_proven
    GROUP BY cluster, cause, broker, any_proven
),

found AS (
    SELECT
        cluster,
        cause,
        any_proven,
        count(*) AS broker_count,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        try_sum(times) AS restart_count,
        max(controlled_shutdowns) AS controlled_shutdowns,
        max(stops) AS stops,
        max(fenced_brokers) AS fenced_brokers,
        max(controlled_shutdown_brokers) AS controlled_shutdown_brokers,
        max(refused_registrations) AS refused_registrations,
        max(start_seconds) AS start_seconds,
        max_by(usual_seconds, STRUCT(coalesce(start_seconds, 0) AS longest, -broker AS tie)) AS usual_seconds,
        max(remaining_logs) AS remaining_logs,
        max(sequence_errors) AS sequence_errors,
        max(invalid_records) AS invalid_records,
        try_sum(known_ids) AS known_ids,
        try_sum(lost_ids) AS lost_ids,
        sort_array(array_distinct(flatten(collect_list(topics)))) AS topics,
        sort_array(collect_list(STRUCT(-coalesce(start_seconds, 0) AS badness, broker))) AS worst
    FROM by_broker
    GROUP BY cluster, cause, any_proven
)

SELECT
    f.cluster,
    f.cause,
    f.from_at,
    f.to_at,
    f.restart_count,
    f.controlled_shutdowns,
    f.stops,
    f.fenced_brokers,
    f.controlled_shutdown_brokers,
    f.refused_registrations,
    f.start_seconds,
    f.usual_seconds,
    f.remaining_logs,
    f.sequence_errors,
    f.invalid_records,
    f.known_ids,
    f.lost_ids,
    s.is_enabled,
    concat('broker ', get(f.worst, 0).broker) AS place,
    -- a kill alone points to the loss of producer state and proves nothing: ids that are gone do
    CASE WHEN f.any_proven THEN 'conclusive' ELSE 'suggestive' END AS strength,
    concat(
        transform(slice(f.worst, 1, 14), x -> concat('broker ', x.broker)),
        CASE
            WHEN f.broker_count > 14 THEN array(concat('and ', f.broker_count - 14, ' more brokers'))
            ELSE array()
        END,
        transform(slice(f.topics, 1, 5), x -> concat('topic ', x))
    ) AS subjects,
    s.retries * s.backoff_s AS retry_seconds
FROM found AS f
LEFT JOIN settings AS s ON f.cluster = s.cluster
ORDER BY f.cluster, f.cause
