-- How each broker process that began on the day came about.
-- out: one row per restart, and per process that began on the day and whose broker was not read before; judged_as:
--      killed, some_killed (of several brokers that stopped together), clean_roll, unknown or first_read: counted_as,
--      unless the log of the new process says more; cut_short: it was let go, and ended before it had closed its logs.
--      usual_seconds: the median over all other processes of the cluster that were read on the day
WITH starts AS (
    SELECT
        s.*,
        s.began_today AND i.cluster IS NULL AS is_first,
        percentile(o.start_seconds, 0.5) AS usual_seconds
    FROM broker_starts AS s
    LEFT JOIN broker_starts AS o
        ON s.cluster = o.cluster AND (s.broker != o.broker OR s.process_start != o.process_start)
    -- with a read before it, it is the old process by a clock that was set anew
    LEFT JOIN broker_intervals AS i
        ON s.cluster = i.cluster AND s.broker = i.broker AND i.kind = 'sweeps' AND s.first_read = i.to_at
    GROUP BY ALL
),

-- from the last read before a restart to some time after it
errors AS (
    SELECT
        r.cluster,
        r.broker,
        r.to_sweep,
        try_sum(try_add(e.out_of_order, e.unknown_producer_ids)) AS sequence_errors,
        try_sum(e.invalid_records) AS invalid_records
    FROM restarts AS r
    INNER JOIN unclean_restart_thresholds AS t ON r.cluster = t.cluster
    INNER JOIN broker_counters AS e
        ON
            r.cluster = e.cluster
            -- the brokers are read a moment apart, so that an interval of the same two sweeps may begin a little before
            AND unix_micros(e.from_at) >= unix_micros(r.from_at) - 60000000
            AND unix_micros(e.from_at) < unix_micros(r.to_at) + 1000000 * t.error_s
    GROUP BY r.cluster, r.broker, r.to_sweep
)

SELECT
    t.cluster,
    g.recovered_logs,
    g.recovered_segments,
    g.rebuild_seconds,
    g.recovered_from,
    g.recovered_to,
    r.was_controller,
    r.has_counter,
    r.stops,
    r.controlled_shutdowns,
    r.fenced_brokers,
    r.controlled_shutdown_brokers,
    r.refused_registrations,
    e.sequence_errors,
    e.invalid_records,
    l.known_ids,
    l.lost_ids,
    l.topics,
    s.start_seconds,
    s.usual_seconds,
    s.remaining_logs,
    coalesce(r.broker, s.broker) AS broker,
    coalesce(r.process_start, s.process_start) AS process_start,
    coalesce(r.from_at, s.process_start) AS from_at,
    coalesce(r.to_at, s.first_read) AS to_at,
    CASE
        WHEN r.cluster IS NULL THEN 'first_read'
        WHEN r.controlled_shutdown_brokers = 0 AND r.leaders_before > 0 THEN 'killed'
        WHEN r.controlled_shutdown_brokers >= r.fenced_brokers THEN 'clean_roll'
        WHEN r.refused_registrations > 0 THEN if(r.possible_stops = 1, 'killed', 'some_killed')
        WHEN r.controlled_shutdowns IS NULL THEN 'unknown'
        WHEN r.controlled_shutdowns = 0 THEN 'killed'
        WHEN r.controlled_shutdowns < r.stops THEN 'some_killed'
        WHEN r.controlled_shutdowns < r.possible_stops THEN 'unknown'
        ELSE 'clean_roll'
    END AS counted_as,
    -- before 2.6 no line tells that a directory was closed, so the log alone decides nothing
    CASE
        WHEN g.is_unclean AND g.tells_clean AND counted_as IN ('unknown', 'some_killed') THEN 'killed'
        WHEN g.is_unclean AND g.tells_clean AND counted_as = 'clean_roll' THEN 'cut_short'
        WHEN g.is_clean AND counted_as IN ('unknown', 'some_killed') THEN 'clean_roll'
        ELSE counted_as
    END AS judged_as,
    coalesce(s.start_seconds >= t.min_start_s AND s.start_seconds >= t.min_start_factor * s.usual_seconds, FALSE)
        AS is_long,
    coalesce(l.lost_ids >= t.min_lost_ids, FALSE)
    OR coalesce(g.is_unclean AND judged_as = 'killed', FALSE)
    OR coalesce(
        g.is_unclean AND is_long
        AND unix_micros(g.recovered_to) - unix_micros(g.recovered_from) >= 5e5 * s.start_seconds,
        FALSE
    ) AS is_proven
FROM restarts AS r
FULL JOIN starts AS s ON r.cluster = s.cluster AND r.broker = s.broker AND r.process_start = s.process_start
INNER JOIN unclean_restart_thresholds AS t ON coalesce(r.cluster, s.cluster) = t.cluster
LEFT JOIN errors AS e ON r.cluster = e.cluster AND r.broker = e.broker AND r.to_sweep = e.to_sweep
LEFT JOIN lost_producers AS l ON r.cluster = l.cluster AND r.broker = l.broker AND r.to_sweep = l.to_sweep
LEFT JOIN start_marks AS g ON s.cluster = g.cluster AND s.broker = g.broker AND s.process_start = g.process_start
WHERE r.cluster IS NOT NULL OR s.is_first
