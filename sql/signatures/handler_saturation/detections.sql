-- Which brokers had no idle handler or network thread for so long that no burst explains it?
-- in:  handler_states, broker_sweeps, broker_settings, handler_saturation_thresholds
-- out: one row per broker and cause, its longest state. frames, places: what is on the stacks of a circle of threads
--      that has a handler, and where these stand in Kafka's code. seconds: from the begin of its first interval to the
--      end of the last one; of a process that stops, between the first and the last read of it
WITH limits AS (
    SELECT
        cluster,
        broker,
        max(if(name = 'queued.max.requests', try_cast(config_value AS INT), NULL)) AS queue_limit,
        max(if(name = 'num.io.threads', try_cast(config_value AS INT), NULL)) AS io_threads,
        max(if(name = 'num.network.threads', try_cast(config_value AS INT), NULL)) AS network_threads
    FROM broker_settings
    GROUP BY cluster, broker
),

processes AS (
    SELECT
        *,
        max(if(broker_state < 6, sweep_at, NULL)) OVER (PARTITION BY cluster, broker, start_ms) AS runs_until
    FROM broker_sweeps
    WHERE is_broker AND read_at IS NOT NULL AND start_ms IS NOT NULL
),

states AS (
    SELECT
        cluster,
        broker,
        cause,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        count(*) AS intervals,
        -- handlers that wait for each other are none that wait for a disk or an authorizer
        min(is_exact OR cause = 'network') OR (cause = 'deadlock' AND coalesce(max(deadlocked_handlers) > 0, FALSE))
            AS is_exact,
        if(cause = 'deadlock', max(deadlocked_threads), NULL) AS deadlocked_threads,
        if(cause = 'deadlock', max(deadlocked_handlers), NULL) AS deadlocked_handlers,
        if(cause = 'deadlock', max_by(cycle_frames, to_at) FILTER (WHERE cycle_frames IS NOT NULL), NULL) AS frames,
        if(cause = 'deadlock', max_by(cycle_places, to_at) FILTER (WHERE cycle_frames IS NOT NULL), NULL) AS places,
        if(cause = 'network', max_by(busiest_listener, to_at), NULL) AS listener,
        max(queue_size) AS queue_size,
        max(queued_mean_ms) AS queued_ms,
        max_by(held, to_at) AS connections,
        try_divide(try_cast(try_sum(try_cast(shown_idle AS DECIMAL(28, 9))) AS DOUBLE), count(shown_idle))
            AS handler_idle,
        try_divide(try_cast(try_sum(try_cast(network_idle AS DECIMAL(28, 9))) AS DOUBLE), count(network_idle))
            AS network_idle,
        try_divide(try_sum(requests), (unix_micros(max(to_at)) - unix_micros(min(from_at))) / 1e6D) AS requests_per_s
    FROM handler_states
    WHERE cause IS NOT NULL
    GROUP BY cluster, broker, cause, start_ms, streak
    UNION ALL
    SELECT
        cluster,
        broker,
        'stopping' AS cause,
        min(read_at) AS from_at,
        max(read_at) AS to_at,
        count(*) AS intervals,
        count(broker_state) > 1 AS is_exact,
        NULL AS deadlocked_threads,
        NULL AS deadlocked_handlers,
        NULL AS frames,
        NULL AS places,
        NULL AS listener,
        NULL AS queue_size,
        NULL AS queued_ms,
        NULL AS connections,
        NULL AS handler_idle,
        NULL AS network_idle,
        NULL AS requests_per_s
    FROM processes
    -- a JVM that ends takes the gauges of Kafka away at once, and its exporter answers on
    WHERE broker_state IN (6, 7) OR (broker_state IS NULL AND NOT is_listed AND runs_until < sweep_at)
    GROUP BY cluster, broker, start_ms
),

timed AS (
    SELECT
        *,
        (unix_micros(to_at) - unix_micros(from_at)) / 1e6D AS seconds
    FROM states
),

lasting AS (
    SELECT s.*
    FROM timed AS s
    INNER JOIN handler_saturation_thresholds AS t ON s.cluster = t.cluster
    WHERE
        CASE s.cause
            WHEN 'deadlock' THEN s.seconds >= t.min_stuck_s AND (s.is_exact OR s.intervals >= t.min_intervals)
            WHEN 'stopping' THEN s.seconds >= t.min_stopping_s
            ELSE s.seconds >= t.min_busy_s AND s.intervals >= t.min_intervals
        END
    QUALIFY row_number() OVER (PARTITION BY s.cluster, s.broker, s.cause ORDER BY s.seconds DESC, s.from_at ASC) = 1
)

SELECT
    s.* EXCEPT (is_exact, handler_idle, network_idle),
    l.queue_limit,
    if(s.is_exact, 'conclusive', 'suggestive') AS strength,
    if(s.cause = 'network', l.network_threads, l.io_threads) AS threads,
    if(s.cause IN ('deadlock', 'overload'), s.handler_idle, NULL) AS handler_idle,
    if(s.cause = 'network', s.network_idle, NULL) AS network_idle,
    if(s.cause = 'deadlock', s.seconds, NULL) AS stuck_seconds,
    if(s.cause IN ('overload', 'network'), s.seconds, NULL) AS busy_seconds,
    if(s.cause = 'stopping', s.seconds, NULL) AS stopping_seconds,
    row_number() OVER (
        PARTITION BY s.cluster ORDER BY s.cause != 'deadlock', s.seconds DESC, s.cause ASC, s.broker ASC
    ) AS ordinal
FROM lasting AS s
LEFT JOIN limits AS l ON s.cluster = l.cluster AND s.broker = l.broker
