-- For how much of each interval of one broker process its request handlers and network threads had nothing to do, and
-- for how long quotas held back its clients.
-- in:  raw_broker_metrics, raw_request_times, raw_listeners, raw_deadlocked_threads, broker_intervals, broker_sweeps,
--      cluster_days
-- out: one row per broker and interval between two reads. In KRaft a node that is controller as well adds two pools
--      into one meter before 4.2 (KAFKA-19606), and shows the request queue of only one of them. It counts what its
--      controller answers, fetches of the metadata log, as those of followers: clients' requests alone are taken there
WITH threads AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        listener,
        count(*) AS processors,
        -- a mean without one of its threads is of other threads
        if(
            count(coalesce(io_wait_ns, old_io_wait_ns)) = count(*),
            try_divide(
                try_cast(try_sum(try_cast(coalesce(io_wait_ns, old_io_wait_ns) AS DECIMAL(28, 3))) AS DOUBLE), count(*)
            ),
            NULL
        ) AS wait_ns
    FROM raw_listeners
    GROUP BY cluster, broker, sweep_at, listener
),

listeners AS (
    SELECT
        t.cluster,
        t.broker,
        t.sweep_at,
        min(try_divide(t.wait_ns - f.wait_ns, i.seconds * 1e9D)) AS network_idle,
        min_by(t.listener, try_divide(t.wait_ns - f.wait_ns, i.seconds * 1e9D)) AS busiest_listener
    FROM broker_intervals AS i
    INNER JOIN threads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
    LEFT JOIN threads AS f
        ON
            i.cluster = f.cluster
            AND i.broker = f.broker
            AND i.from_sweep = f.sweep_at
            AND t.listener = f.listener
            AND t.processors = f.processors -- num.network.threads may change while the broker runs
    WHERE i.same_process AND i.kind = 'sweeps'
    GROUP BY t.cluster, t.broker, t.sweep_at
),

served AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(observations) FILTER (WHERE phase = 'RequestQueueTimeMs') AS requests,
        -- count and mean are since the start of the process, so their product is the time spent up to each read
        try_sum(try_cast(observations * mean_ms AS DECIMAL(28, 9))) FILTER (WHERE phase = 'RequestQueueTimeMs')
            AS queued_ms,
        try_sum(observations) FILTER (WHERE phase = 'RequestQueueTimeMs' AND request != 'FetchFollower')
            AS client_requests,
        try_sum(try_cast(observations * mean_ms AS DECIMAL(28, 9)))
        FILTER (WHERE phase = 'RequestQueueTimeMs' AND request != 'FetchFollower') AS client_queued_ms,
        try_sum(try_cast(observations * mean_ms AS DECIMAL(28, 9)))
        FILTER (WHERE phase = 'ThrottleTimeMs' AND request = 'Produce') AS produce_throttled_ms,
        try_sum(try_cast(observations * mean_ms AS DECIMAL(28, 9)))
        FILTER (WHERE phase = 'ThrottleTimeMs' AND request = 'FetchConsumer') AS fetch_throttled_ms
    FROM raw_request_times
    WHERE phase IN ('RequestQueueTimeMs', 'ThrottleTimeMs')
    GROUP BY cluster, broker, sweep_at
),

circles AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        cycle,
        count_if(thread RLIKE '^(data-plane-|control-plane-)?kafka-request-handler-[0-9]+$') AS handlers,
        sort_array(array_distinct(flatten(collect_list(frames)))) AS frames,
        -- where each of them stands in Kafka's own code
        sort_array(
            collect_set(get(filter(frames, f -> startswith(f, 'kafka.') OR startswith(f, 'org.apache.kafka.')), 0))
        ) AS places
    FROM raw_deadlocked_threads
    WHERE cycle IS NOT NULL
    GROUP BY cluster, broker, sweep_at, cycle
),

-- two circles at once are two faults: the frames of one are told
deadlocks AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(handlers) AS handlers,
        min_by(frames, cycle) FILTER (WHERE handlers > 0) AS frames,
        min_by(places, cycle) FILTER (WHERE handlers > 0) AS places
    FROM circles
    GROUP BY cluster, broker, sweep_at
),

reads AS (
    SELECT
        m.cluster,
        m.broker,
        m.sweep_at,
        m.broker_state,
        m.request_handler_idle,
        m.deadlocked_threads,
        k.frames AS cycle_frames,
        k.places AS cycle_places,
        s.produce_throttled_ms,
        s.fetch_throttled_ms,
        coalesce(m.broker_handler_idle_ns, m.request_handler_idle_ns) AS idle_ns,
        coalesce(m.jvm_start_ms, m.app_start_ms) AS start_ms,
        coalesce(d.cluster_mode = 'KRaft' AND m.active_controller IS NOT NULL, FALSE) AS is_controller,
        m.broker_handler_idle_ns IS NULL AND is_controller AS both_pools,
        -- an exporter tells how many there are, and not which
        if(m.deadlocked_threads = 0, 0, k.handlers) AS deadlocked_handlers,
        if(is_controller, NULL, m.request_queue_size) AS queue_size,
        if(is_controller, s.client_requests, s.requests) AS requests,
        if(is_controller, s.client_queued_ms, s.queued_ms) AS queued_ms
    FROM raw_broker_metrics AS m
    INNER JOIN cluster_days AS d ON m.cluster = d.cluster
    LEFT JOIN served AS s ON m.cluster = s.cluster AND m.broker = s.broker AND m.sweep_at = s.sweep_at
    LEFT JOIN deadlocks AS k ON m.cluster = k.cluster AND m.broker = k.broker AND m.sweep_at = k.sweep_at
)

SELECT
    i.cluster,
    i.broker,
    i.to_sweep,
    i.from_at,
    i.to_at,
    i.seconds,
    r.start_ms,
    r.broker_state,
    r.both_pools,
    r.request_handler_idle AS minute_idle,
    f.queue_size AS from_queue_size,
    r.queue_size,
    b.held_connections AS held,
    l.network_idle,
    l.busiest_listener,
    r.deadlocked_threads,
    r.deadlocked_handlers,
    r.cycle_frames,
    r.cycle_places,
    if(r.idle_ns >= f.idle_ns, try_divide(r.idle_ns - f.idle_ns, i.seconds * 1e9D), NULL) AS handler_idle,
    if(r.requests >= f.requests, try_subtract(r.requests, f.requests), NULL) AS requests,
    try_divide(try_cast(r.queued_ms - f.queued_ms AS DOUBLE), nullif(try_subtract(r.requests, f.requests), 0))
        AS queued_mean_ms,
    -- a type of request that was not seen at a read of others began at 0
    if(
        f.requests IS NULL, NULL,
        try_cast(r.produce_throttled_ms - coalesce(f.produce_throttled_ms, 0) AS DOUBLE)
    ) AS produce_throttled_ms,
    if(
        f.requests IS NULL, NULL, try_cast(r.fetch_throttled_ms - coalesce(f.fetch_throttled_ms, 0) AS DOUBLE)
    ) AS fetch_throttled_ms
FROM broker_intervals AS i
INNER JOIN reads AS r ON i.cluster = r.cluster AND i.broker = r.broker AND i.to_sweep = r.sweep_at
INNER JOIN reads AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
LEFT JOIN broker_sweeps AS b ON i.cluster = b.cluster AND i.broker = b.broker AND i.to_sweep = b.sweep_at
LEFT JOIN listeners AS l ON i.cluster = l.cluster AND i.broker = l.broker AND i.to_sweep = l.sweep_at
WHERE i.same_process AND i.kind = 'sweeps' AND i.seconds > 0
