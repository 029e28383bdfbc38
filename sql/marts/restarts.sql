-- Brokers found with another process than at their read before, and what controllers counted while the old one ended:
-- nodes whose process lived on, other than the broker. KRaft controllers count no controlled shutdowns; what they tell
-- instead: a broker that leads nothing is let go without one, and before 4.0 they refuse the new process while the old
-- one's session lasts, which a controlled shutdown ends.
WITH stops AS (
    SELECT
        c.*,
        count_if(o.from_sweep >= c.from_sweep AND o.ended_by <= c.ended_by) AS stops,
        count(*) AS possible_stops
    FROM ended_processes AS c
    INNER JOIN ended_processes AS o ON c.cluster = o.cluster AND c.ended_by > o.from_sweep AND c.from_sweep < o.ended_by
    WHERE c.to_sweep IS NOT NULL
    GROUP BY ALL
),

reads AS (
    SELECT
        m.*,
        coalesce(m.active_controller = 1, FALSE) AS is_controller,
        coalesce(m.jvm_start_ms, m.app_start_ms) AS start_ms,
        max(m.controlled_shutdowns IS NOT NULL) OVER (PARTITION BY m.cluster) AS has_counter,
        -- made at its first event: absent in a whole read is 0
        coalesce(e.errors, if(b.outcome = 'ok', 0, NULL)) AS refused
    FROM raw_broker_metrics AS m
    INNER JOIN raw_brokers AS b ON m.cluster = b.cluster AND m.broker = b.broker AND m.sweep_at = b.sweep_at
    LEFT JOIN raw_request_errors AS e
        ON
            m.cluster = e.cluster AND m.broker = e.broker AND m.sweep_at = e.sweep_at
            AND e.request = 'BrokerRegistration' AND e.error = 'DUPLICATE_BROKER_REGISTRATION'
),

-- processes of any node that were read at the first end of the span, and at the others
nodes AS (
    SELECT
        s.cluster,
        s.broker,
        s.to_sweep,
        max(r.has_counter) AS has_counter,
        max(if(r.sweep_at = s.from_sweep, r.is_controller, FALSE)) AS was_controller,
        max(if(r.sweep_at = s.ended_by, r.is_controller, FALSE)) AS is_controller,
        max(if(r.sweep_at = s.ended_by AND r.broker != s.broker, r.controlled_shutdowns, NULL))
        - max(if(r.sweep_at = s.from_sweep, r.controlled_shutdowns, NULL)) AS shutdowns,
        max(if(r.sweep_at = s.to_sweep AND r.release LIKE '3.%', r.refused, NULL))
        - max(if(r.sweep_at = s.from_sweep, r.refused, NULL)) AS refused
    FROM stops AS s
    INNER JOIN reads AS r ON s.cluster = r.cluster AND r.sweep_at IN (s.from_sweep, s.ended_by, s.to_sweep)
    GROUP BY s.cluster, s.broker, s.to_sweep, r.broker, r.start_ms
),

counted AS (
    SELECT
        cluster,
        broker,
        to_sweep,
        max(has_counter) AS has_counter,
        max(shutdowns >= 0 AND was_controller) AND max(shutdowns >= 0 AND is_controller) AS saw_controller,
        try_sum(if(shutdowns >= 0, shutdowns, NULL)) AS controlled_shutdowns,
        try_sum(if(refused >= 0, refused, NULL)) AS refused_registrations
    FROM nodes
    GROUP BY cluster, broker, to_sweep
)

SELECT
    s.cluster,
    s.broker,
    s.from_sweep,
    s.to_sweep,
    s.from_at,
    s.to_at,
    s.ended_by,
    s.was_controller,
    s.process_start,
    s.stops,
    s.possible_stops,
    c.has_counter,
    if(c.saw_controller AND NOT s.was_controller, c.controlled_shutdowns, NULL) AS controlled_shutdowns,
    if(c.has_counter, NULL, s.leaders_before) AS leaders_before,
    if(c.has_counter, NULL, s.fenced_brokers) AS fenced_brokers,
    if(c.has_counter, NULL, s.controlled_shutdown_brokers) AS controlled_shutdown_brokers,
    if(c.has_counter, NULL, c.refused_registrations) AS refused_registrations
FROM stops AS s
INNER JOIN counted AS c ON s.cluster = c.cluster AND s.broker = c.broker AND s.to_sweep = c.to_sweep
