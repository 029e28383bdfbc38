-- What KRaft controllers tell of how a broker's process ended: they count no controlled shutdowns.
-- in:  restarts, raw_sweeps, raw_brokers, raw_broker_metrics, raw_request_errors
-- out: one row per restart of a cluster without such a counter. leaders_before: partitions that it led at its last
--      read; one that leads none is let go without being put into controlled shutdown. fenced_brokers,
--      controlled_shutdown_brokers: what the active controller showed at the last sweep that does not list the broker,
--      before the new process began; null where there is none. A broker stays in controlled shutdown until it is
--      registered anew. refused_registrations: how often controllers took a new process for a second one of a broker
--      that lives: before 4.0 they do while the old one's session lasts, which a controlled shutdown ends.
WITH silent AS (
    SELECT
        r.cluster,
        r.broker,
        r.from_sweep,
        r.to_sweep,
        m.leader_count AS leaders_before,
        -- when the new process began, by the collector's clock
        unix_millis(r.process_start) - 1000 * coalesce(b.agent_clock_skew_s, 0) AS began_ms
    FROM restarts AS r
    INNER JOIN raw_broker_metrics AS m ON r.cluster = m.cluster AND r.broker = m.broker AND r.from_sweep = m.sweep_at
    INNER JOIN raw_brokers AS b ON r.cluster = b.cluster AND r.broker = b.broker AND r.to_sweep = b.sweep_at
    WHERE NOT r.has_counter
),

away AS (
    SELECT
        u.cluster,
        u.broker,
        u.to_sweep,
        max_by(m.fenced_brokers, struct(m.sweep_at, m.broker)) AS fenced_brokers,
        max_by(m.controlled_shutdown_brokers, struct(m.sweep_at, m.broker)) AS controlled_shutdown_brokers
    FROM silent AS u
    INNER JOIN raw_broker_metrics AS m
        ON
            u.cluster = m.cluster
            AND u.from_sweep < m.sweep_at
            AND u.to_sweep > m.sweep_at
            AND u.began_ms > unix_millis(m.read_at) + 1000 * :clock_s
            AND m.active_controller = 1
            AND m.fenced_brokers > 0
            AND m.controlled_shutdown_brokers >= 0
    LEFT SEMI JOIN raw_sweeps AS s
        ON m.cluster = s.cluster AND m.sweep_at = s.sweep_at AND s.admin_outcome != 'failed'
    LEFT ANTI JOIN raw_brokers AS b
        ON u.cluster = b.cluster AND u.broker = b.broker AND m.sweep_at = b.sweep_at AND b.host IS NOT NULL
    GROUP BY u.cluster, u.broker, u.to_sweep
),

refused AS (
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at,
        m.release,
        coalesce(m.jvm_start_ms, m.app_start_ms) AS began_ms,
        -- made at its first event: absent in a whole read is 0
        coalesce(e.errors, CASE WHEN b.outcome = 'ok' THEN 0 END) AS errors
    FROM raw_brokers AS b
    INNER JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    LEFT JOIN raw_request_errors AS e
        ON
            b.cluster = e.cluster
            AND b.broker = e.broker
            AND b.sweep_at = e.sweep_at
            AND e.request = 'BrokerRegistration'
            AND e.error = 'DUPLICATE_BROKER_REGISTRATION'
),

counted AS (
    SELECT
        u.cluster,
        u.broker,
        u.to_sweep,
        try_sum(t.errors - f.errors) AS refused_registrations
    FROM silent AS u
    INNER JOIN refused AS f ON u.cluster = f.cluster AND u.from_sweep = f.sweep_at
    INNER JOIN refused AS t
        ON u.cluster = t.cluster AND u.to_sweep = t.sweep_at AND f.broker = t.broker AND f.began_ms = t.began_ms
    WHERE t.release LIKE '3.%' AND t.errors >= f.errors
    GROUP BY u.cluster, u.broker, u.to_sweep
)

SELECT
    u.cluster,
    u.broker,
    u.to_sweep,
    u.leaders_before,
    a.fenced_brokers,
    a.controlled_shutdown_brokers,
    c.refused_registrations
FROM silent AS u
LEFT JOIN away AS a ON u.cluster = a.cluster AND u.broker = a.broker AND u.to_sweep = a.to_sweep
LEFT JOIN counted AS c ON u.cluster = c.cluster AND u.broker = c.broker AND u.to_sweep = c.to_sweep
