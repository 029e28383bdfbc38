-- Intervals of a listener whose new connections can be judged, with the backlog that is in force.
-- out: one row per cluster, broker, listener and interval. burst_s is the time in which the new connections can have
--      come; internal: only brokers and controllers call there; host_read: node_exporter was read at both ends
WITH settings AS (
    SELECT
        cluster,
        broker,
        max(try_cast(CASE WHEN name = 'socket.listen.backlog.size' THEN config_value END AS INT)) AS configured_backlog,
        -- a broker that lists its settings without this one binds without a backlog, which means 50
        NOT max(name = 'socket.listen.backlog.size') AS configs_read,
        -- such a limit, of the broker or of one listener, makes the acceptor wait although nothing is full
        max(
            name LIKE '%max.connection.creation.rate' AND coalesce(try_cast(config_value AS BIGINT), 0) < 2147483647
        ) AS slowed_down
    FROM broker_settings
    GROUP BY cluster, broker
),

internals AS (
    SELECT DISTINCT
        cluster,
        -- a listener's name may be spelt in any case
        explode(
            split(translate(config_value, 'abcdefghijklmnopqrstuvwxyz ', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'), ',')
        ) AS listener
    FROM broker_settings
    WHERE name IN ('controller.listener.names', 'inter.broker.listener.name', 'control.plane.listener.name')
),

limits AS (
    SELECT
        cluster,
        broker,
        max_by(somaxconn, to_sweep) AS somaxconn
    FROM host_counters
    GROUP BY cluster, broker
)

SELECT
    s.cluster,
    s.broker,
    s.listener,
    s.kind,
    s.from_sweep,
    s.to_sweep,
    s.from_at,
    s.to_at,
    s.seconds,
    s.process_seconds,
    s.processors,
    s.held,
    s.held_before,
    s.created,
    s.failed_authentications,
    s.leaders,
    s.leaders_gained,
    l.somaxconn,
    i.listener IS NOT NULL AS internal,
    -- where settings were not read, a broker of 2.7 or newer may have such a limit
    if(
        coalesce(
            c.slowed_down,
            try_cast(get(split(b.kafka_release, '[.]'), 0) AS INT) * 100L
            + try_cast(get(split(b.kafka_release, '[.]'), 1) AS INT) >= 207, TRUE
        ), NULL, s.blocked_ns
    ) AS blocked_ns,
    least(coalesce(c.configured_backlog, 50), l.somaxconn) AS backlog,
    c.configured_backlog IS NOT NULL
    OR coalesce(c.configs_read, FALSE)
    OR coalesce(
        try_cast(get(split(b.kafka_release, '[.]'), 0) AS INT) * 100L
        + try_cast(get(split(b.kafka_release, '[.]'), 1) AS INT) < 302, FALSE
    ) AS backlog_known,
    coalesce(h.listen_overflows, h.listen_drops, h.syncookies_sent) IS NOT NULL AS host_read,
    -- every overflow is a drop too; without cookies a full queue of SYNs shows as drops alone
    coalesce(greatest(h.listen_overflows, h.listen_drops), 0) + coalesce(h.syncookies_sent, 0) AS overflows,
    CASE
        WHEN s.kind = 'start'
            THEN greatest(1.0D, least(s.seconds, coalesce(s.accepting_seconds, s.seconds) + t.start_slack_s))
        ELSE s.seconds
    END AS burst_s
FROM listener_connections AS s
INNER JOIN reconnect_storm_thresholds AS t ON s.cluster = t.cluster
INNER JOIN broker_days AS b ON s.cluster = b.cluster AND s.broker = b.broker
LEFT JOIN settings AS c ON s.cluster = c.cluster AND s.broker = c.broker
LEFT JOIN limits AS l ON s.cluster = l.cluster AND s.broker = l.broker
LEFT JOIN internals AS i
    ON
        s.cluster = i.cluster
        AND translate(s.listener, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') = i.listener
LEFT JOIN host_counters AS h ON s.cluster = h.cluster AND s.broker = h.broker AND s.to_sweep = h.to_sweep
WHERE NOT s.ran_back AND s.created IS NOT NULL AND s.held IS NOT NULL
