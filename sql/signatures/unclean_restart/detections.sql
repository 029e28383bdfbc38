-- Did brokers start again without having been shut down in a controlled way?
-- out: one row per restart that is named, those with the longest start first; but for the start, numbers are of all of
--      the cause that are as sure. Counters alone point to a kill; the log of the next process, or ids that are gone,
--      prove it
WITH settings AS (
    SELECT
        cluster,
        min(if(name = 'controlled.shutdown.enable', if(config_value = 'true', 1, 0), NULL)) AS is_enabled,
        min(if(name = 'controlled.shutdown.max.retries', try_cast(config_value AS DOUBLE), NULL))
        * min(if(name = 'controlled.shutdown.retry.backoff.ms', try_cast(config_value AS DOUBLE) / 1000, NULL))
            AS retry_seconds
    FROM broker_settings
    GROUP BY cluster
),

caused AS (
    SELECT
        *,
        CASE
            WHEN judged_as IN ('killed', 'cut_short') THEN 'killed'
            -- of several brokers that stopped together some were: they are named where none is known to have been
            WHEN judged_as != 'some_killed' THEN if(is_long OR is_proven, 'long_recovery', NULL)
            WHEN is_proven OR NOT max(judged_as = 'killed') OVER (PARTITION BY cluster) THEN 'killed'
        END AS cause
    FROM judged_restarts
)

SELECT
    c.cluster,
    c.cause,
    c.broker,
    c.topics,
    c.start_seconds,
    c.usual_seconds,
    s.is_enabled,
    s.retry_seconds,
    if(c.is_proven, 'conclusive', 'suggestive') AS strength,
    min(c.from_at) OVER of_cause AS from_at,
    max(c.to_at) OVER of_cause AS to_at,
    count(*) OVER of_cause AS restart_count,
    max(c.controlled_shutdowns) OVER of_cause AS controlled_shutdowns,
    max(c.stops) OVER of_cause AS stops,
    max(c.fenced_brokers) OVER of_cause AS fenced_brokers,
    max(c.controlled_shutdown_brokers) OVER of_cause AS controlled_shutdown_brokers,
    max(c.refused_registrations) OVER of_cause AS refused_registrations,
    max(c.remaining_logs) OVER of_cause AS remaining_logs,
    max(c.sequence_errors) OVER of_cause AS sequence_errors,
    max(c.invalid_records) OVER of_cause AS invalid_records,
    try_sum(c.known_ids) OVER of_cause AS known_ids,
    try_sum(c.lost_ids) OVER of_cause AS lost_ids,
    try_sum(c.recovered_logs) OVER of_cause AS recovered_logs,
    try_sum(c.recovered_segments) OVER of_cause AS recovered_segments,
    max(c.rebuild_seconds) OVER of_cause AS rebuild_seconds,
    min(c.recovered_from) OVER of_cause AS recovered_from,
    max(c.recovered_to) OVER of_cause AS recovered_to,
    row_number() OVER (PARTITION BY c.cluster ORDER BY c.start_seconds DESC, c.broker ASC, c.to_at ASC) AS ordinal
FROM caused AS c
LEFT JOIN settings AS s ON c.cluster = s.cluster
WHERE c.cause IS NOT NULL
WINDOW of_cause AS (PARTITION BY c.cluster, c.cause, c.is_proven)
