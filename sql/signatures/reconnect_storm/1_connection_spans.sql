-- Intervals of a listener whose new connections can be judged, with the backlog that is in force and the host's word.
-- in:  listener_connections, config_days, broker_days, host_counters
-- out: one row per cluster, broker, listener and interval. burst_s is the time in which the new connections can have
--      come; overflows is null where no node_exporter was read at both ends.
WITH settings AS (
    SELECT
        cluster,
        broker,
        -- a broker that lists its settings without this one binds without a backlog, which means 50
        count_if(name = 'socket.listen.backlog.size') = 0 AS configs_read,
        max(
            CASE WHEN name = 'socket.listen.backlog.size' THEN try_cast(config_value AS INT) END
        ) AS configured_backlog
    FROM config_days
    GROUP BY cluster, broker
),

-- listeners on which only brokers and controllers call: no deployment of clients shows there
internals AS (
    SELECT
        cluster,
        array_distinct(flatten(collect_list(split(upper(replace(config_value, ' ', '')), ',')))) AS listeners
    FROM config_days
    WHERE name IN ('controller.listener.names', 'inter.broker.listener.name', 'control.plane.listener.name')
    GROUP BY cluster
),

limits AS (
    SELECT
        cluster,
        broker,
        max_by(somaxconn, to_sweep) AS somaxconn
    FROM host_counters
    GROUP BY cluster, broker
),

brokers AS (
    SELECT
        b.cluster,
        b.broker,
        l.somaxconn,
        coalesce(c.configured_backlog, 50) AS backlog,
        c.configured_backlog IS NOT NULL
        OR coalesce(c.configs_read, FALSE)
        OR coalesce(
            try_cast(get(split(b.kafka_release, '[.]'), 0) AS INT) * 100L
            + try_cast(get(split(b.kafka_release, '[.]'), 1) AS INT) < 302, FALSE
        ) AS backlog_known
    FROM broker_days AS b
    LEFT JOIN settings AS c ON b.cluster = c.cluster AND b.broker = c.broker
    LEFT JOIN limits AS l ON b.cluster = l.cluster AND b.broker = l.broker
    WHERE array_contains(:clusters, b.cluster)
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
    s.blocked_ns,
    s.leaders,
    s.leaders_gained,
    b.backlog_known,
    b.somaxconn,
    h.listen_overflows,
    h.listen_drops,
    h.syncookies_sent,
    h.tcp_syncookies,
    h.tcp_max_syn_backlog,
    least(b.backlog, b.somaxconn) AS backlog,
    coalesce(h.listen_overflows, h.listen_drops, h.syncookies_sent) IS NOT NULL AS host_read,
    -- every overflow is a drop too; without cookies a full queue of SYNs shows as drops alone
    coalesce(greatest(h.listen_overflows, h.listen_drops), 0) + coalesce(h.syncookies_sent, 0) AS overflows,
    coalesce(array_contains(i.listeners, upper(s.listener)), FALSE) AS internal,
    CASE
        WHEN s.kind = 'start'
            THEN greatest(1.0D, least(s.seconds, coalesce(s.accepting_seconds, s.seconds) + :start_slack_s))
        ELSE s.seconds
    END AS burst_s
FROM listener_connections AS s
INNER JOIN brokers AS b ON s.cluster = b.cluster AND s.broker = b.broker
LEFT JOIN internals AS i ON s.cluster = i.cluster
LEFT JOIN host_counters AS h ON s.cluster = h.cluster AND s.broker = h.broker AND s.to_sweep = h.to_sweep
WHERE NOT s.ran_back AND s.created IS NOT NULL AND s.held IS NOT NULL
