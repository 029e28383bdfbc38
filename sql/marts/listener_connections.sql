-- Connections that each listener of a broker made and held in each interval of one process.
WITH totals AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        listener,
        count(*) AS processors,
        -- a sum without one of its processors would be too small
        if(count(connections) = count(*), try_sum(try_cast(connections AS BIGINT)), NULL) AS held,
        if(count(connections_created) = count(*), try_sum(try_cast(connections_created AS BIGINT)), NULL) AS created,
        if(count(connections_closed) = count(*), try_sum(try_cast(connections_closed AS BIGINT)), NULL) AS closed,
        if(count(failed_authentications) = count(*), try_sum(try_cast(failed_authentications AS BIGINT)), NULL)
            AS failed_authentications
    FROM raw_listeners
    GROUP BY cluster, broker, sweep_at, listener
),

blocked AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        listener,
        try_sum(blocked_ns) AS blocked_ns
    FROM raw_acceptors
    GROUP BY cluster, broker, sweep_at, listener
),

reads AS (
    SELECT
        t.*,
        a.blocked_ns,
        m.leader_count AS leaders,
        -- the broker's own clock says when it started, so its own clock also says how long ago that is
        unix_micros(b.read_at) / 1e3D + 1e3D * coalesce(b.agent_clock_skew_s, 0) AS read_ms,
        (read_ms - m.jvm_start_ms) / 1e3D AS process_seconds,
        (read_ms - m.app_start_ms) / 1e3D AS accepting_seconds,
        lag(t.sweep_at) OVER before AS before_sweep,
        lag(t.held) OVER before AS held_before,
        try_subtract(t.created, lag(t.created) OVER before) AS more_created,
        try_subtract(t.closed, lag(t.closed) OVER before) AS more_closed,
        try_subtract(t.failed_authentications, lag(t.failed_authentications) OVER before) AS more_failed,
        try_subtract(a.blocked_ns, lag(a.blocked_ns) OVER before) AS more_blocked,
        -- a partition that is new on the broker, and led there, has not moved
        m.leader_count
        - lag(m.leader_count) OVER before
        - greatest(0, m.partition_count - lag(m.partition_count) OVER before) AS leaders_gained
    FROM totals AS t
    LEFT ANTI JOIN cluster_sweeps AS o ON t.cluster = o.cluster AND t.sweep_at = o.sweep_at AND o.overlapped
    INNER JOIN raw_brokers AS b ON t.cluster = b.cluster AND t.broker = b.broker AND t.sweep_at = b.sweep_at
    INNER JOIN raw_broker_metrics AS m ON t.cluster = m.cluster AND t.broker = m.broker AND t.sweep_at = m.sweep_at
    LEFT JOIN blocked AS a
        ON t.cluster = a.cluster AND t.broker = a.broker AND t.sweep_at = a.sweep_at AND t.listener = a.listener
    WINDOW before AS (PARTITION BY t.cluster, t.broker, t.listener ORDER BY t.sweep_at)
),

deltas AS (
    SELECT
        i.cluster,
        i.broker,
        r.listener,
        i.kind,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        r.process_seconds,
        r.accepting_seconds,
        r.processors,
        r.held,
        r.leaders,
        r.before_sweep = i.before_sweep AS follows,
        CASE WHEN i.kind = 'start' AND follows THEN r.held_before END AS held_before,
        CASE WHEN i.kind = 'start' THEN r.created WHEN follows THEN r.more_created END AS created,
        CASE WHEN i.kind = 'start' THEN r.closed WHEN follows THEN r.more_closed END AS closed,
        CASE WHEN i.kind = 'start' THEN r.failed_authentications WHEN follows THEN r.more_failed END
            AS failed_authentications,
        CASE WHEN i.kind = 'start' THEN r.blocked_ns WHEN follows THEN r.more_blocked END AS blocked_ns,
        CASE WHEN i.kind = 'start' THEN r.leaders WHEN follows THEN r.leaders_gained END AS leaders_gained
    FROM broker_intervals AS i
    INNER JOIN reads AS r ON i.cluster = r.cluster AND i.broker = r.broker AND i.to_sweep = r.sweep_at
    WHERE i.same_process AND i.seconds > 0
)

SELECT
    * EXCEPT (follows),
    coalesce(least(created, closed, failed_authentications, blocked_ns) < 0, FALSE) AS ran_back
FROM deltas
