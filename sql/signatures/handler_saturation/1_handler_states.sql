-- What each broker's threads were like in each interval, and since when without a break.
-- in:  handler_intervals, handler_saturation_thresholds
-- out: one row per broker and interval. cause: null where there was idle time, or where it cannot be told, which
--      is_told says. is_exact: by counters over the whole interval. streak: intervals of one cause without a gap
--      between them. Handlers that stand still leave network threads waiting, so that they come first
WITH bounded AS (
    SELECT
        h.*,
        t.max_idle,
        coalesce(h.handler_idle, h.minute_idle) AS shown_idle,
        h.handler_idle IS NOT NULL AND NOT h.both_pools AS is_exact,
        coalesce(h.broker_state, 3) = 3 AS is_running,
        coalesce(h.queued_mean_ms >= t.min_queued_ms, h.queue_size > 0, FALSE) AS have_waited,
        coalesce(1000 * t.warm_up_s <= unix_millis(h.from_at) - h.start_ms, TRUE) AS is_warm,
        h.network_idle < t.max_network_idle AS network_is_full,
        coalesce(NOT h.both_pools OR shown_idle < t.max_idle OR shown_idle >= 1 + t.max_idle, FALSE)
        AND shown_idle IS NOT NULL AS is_told,
        row_number() OVER (PARTITION BY h.cluster, h.broker ORDER BY h.to_at) AS nth
    FROM handler_intervals AS h
    INNER JOIN handler_saturation_thresholds AS t ON h.cluster = t.cluster
),

judged AS (
    SELECT
        *,
        CASE
            WHEN NOT is_running THEN NULL
            -- a handler that takes a request, or that waits for one, adds to the counter
            WHEN
                is_exact AND handler_idle = 0
                AND coalesce(queue_size > 0 AND queue_size >= from_queue_size, requests = 0 AND held > 0)
                THEN 'deadlock'
            -- one of two pools adds all of its time, and the other one nothing; a broker that starts has one alone
            WHEN
                (handler_idle IS NULL OR both_pools) AND requests = 0 AND held > 0
                AND (shown_idle < max_idle OR (both_pools AND broker_state = 3 AND abs(shown_idle - 1) <= max_idle))
                THEN 'deadlock'
            WHEN shown_idle < max_idle + if(both_pools, 1, 0) AND have_waited AND is_warm THEN 'overload'
            WHEN network_is_full AND shown_idle >= max_idle AND is_warm THEN 'network'
        END AS cause
    FROM bounded
)

SELECT
    cluster,
    broker,
    start_ms,
    from_at,
    to_at,
    both_pools,
    handler_idle,
    shown_idle,
    network_idle,
    busiest_listener,
    queue_size,
    queued_mean_ms,
    requests,
    held,
    is_told,
    is_exact,
    deadlocked_threads,
    deadlocked_handlers,
    cycle_frames,
    cycle_places,
    cause,
    nth - row_number() OVER (PARTITION BY cluster, broker, start_ms, cause ORDER BY nth) AS streak
FROM judged
