-- How each broker process that began on the day came about.
-- in:  restarts, kraft_stops, usual_starts, errors_after, lost_producers, intervals
-- out: one row per restart, and per process that began on the day and whose broker was not read before;
--      judged_as: killed, some_killed (of several brokers that stopped together), clean_roll, or unknown
WITH seen AS (
    SELECT
        r.cluster,
        r.broker,
        r.from_at,
        r.to_at,
        r.process_start,
        r.was_controller,
        r.has_counter,
        r.stops,
        r.controlled_shutdowns,
        k.fenced_brokers,
        k.controlled_shutdown_brokers,
        k.refused_registrations,
        e.sequence_errors,
        e.invalid_records,
        l.known_ids,
        l.lost_ids,
        l.topics,
        CASE
            WHEN k.controlled_shutdown_brokers = 0 AND k.leaders_before > 0 THEN 'killed'
            WHEN k.controlled_shutdown_brokers >= k.fenced_brokers THEN 'clean_roll'
            WHEN k.refused_registrations > 0 THEN if(r.possible_stops = 1, 'killed', 'some_killed')
            WHEN r.controlled_shutdowns IS NULL THEN 'unknown'
            WHEN r.controlled_shutdowns = 0 THEN 'killed'
            WHEN r.controlled_shutdowns < r.stops THEN 'some_killed'
            WHEN r.controlled_shutdowns < r.possible_stops THEN 'unknown'
            ELSE 'clean_roll'
        END AS judged_as
    FROM restarts AS r
    LEFT JOIN kraft_stops AS k ON r.cluster = k.cluster AND r.broker = k.broker AND r.to_sweep = k.to_sweep
    LEFT JOIN errors_after AS e ON r.cluster = e.cluster AND r.broker = e.broker AND r.to_sweep = e.to_sweep
    LEFT JOIN lost_producers AS l ON r.cluster = l.cluster AND r.broker = l.broker AND r.to_sweep = l.to_sweep
    WHERE array_contains(:clusters, r.cluster)
),

unseen AS (
    SELECT
        u.cluster,
        u.broker,
        u.process_start AS from_at,
        u.first_read AS to_at,
        u.process_start,
        cast(NULL AS BOOLEAN) AS was_controller,
        cast(NULL AS BOOLEAN) AS has_counter,
        cast(NULL AS BIGINT) AS stops,
        cast(NULL AS BIGINT) AS controlled_shutdowns,
        cast(NULL AS BIGINT) AS fenced_brokers,
        cast(NULL AS BIGINT) AS controlled_shutdown_brokers,
        cast(NULL AS BIGINT) AS refused_registrations,
        cast(NULL AS BIGINT) AS sequence_errors,
        cast(NULL AS BIGINT) AS invalid_records,
        cast(NULL AS BIGINT) AS known_ids,
        cast(NULL AS BIGINT) AS lost_ids,
        cast(NULL AS ARRAY<STRING>) AS topics,
        'first_read' AS judged_as
    FROM usual_starts AS u
    LEFT ANTI JOIN restarts AS r
        ON u.cluster = r.cluster AND u.broker = r.broker AND u.process_start = r.process_start
    -- with a read before it, it is the old process by a clock that was set anew
    LEFT ANTI JOIN intervals AS i
        ON u.cluster = i.cluster AND u.broker = i.broker AND i.kind = 'sweeps' AND u.first_read = i.to_at
    WHERE u.began_today
),

either AS (
    SELECT * FROM seen
    UNION ALL
    SELECT * FROM unseen
)

SELECT
    x.cluster,
    x.broker,
    x.from_at,
    x.to_at,
    x.process_start,
    x.was_controller,
    x.has_counter,
    x.stops,
    x.controlled_shutdowns,
    x.fenced_brokers,
    x.controlled_shutdown_brokers,
    x.refused_registrations,
    x.sequence_errors,
    x.invalid_records,
    x.known_ids,
    x.lost_ids,
    x.topics,
    x.judged_as,
    u.start_seconds,
    u.usual_seconds,
    u.remaining_logs,
    coalesce(
        u.start_seconds >= :min_start_s AND u.start_seconds >= :min_start_factor * u.usual_seconds, FALSE
    ) AS is_long,
    coalesce(x.lost_ids >= :min_lost_ids, FALSE) AS is_proven
FROM either AS x
LEFT JOIN usual_starts AS u
    ON x.cluster = u.cluster AND x.broker = u.broker AND x.process_start = u.process_start
