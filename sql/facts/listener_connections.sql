-- Connections that each listener of a broker made, closed and held in each interval of one process.
-- in:  broker_intervals, raw_listeners (network processors summed), raw_acceptors, raw_broker_metrics, raw_brokers
-- out: one row per broker, listener and interval. Counts are null where a read lacked the counter; kind start counts
--      from 0. accepting_seconds is the time since the broker had started up, by the broker's own clock; held_before is
--      what the broker's earlier process held when it was last read. Rows that ran_back are not to be used.
WITH totals AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        listener,
        count(*) AS processors,
        -- a sum without one of its processors would be too small
        CASE WHEN count(connections) = count(*) THEN try_sum(try_cast(connections AS BIGINT)) END AS held,
        CASE
            WHEN count(connections_created) = count(*) THEN try_sum(try_cast(connections_created AS BIGINT))
        END AS created,
        CASE
            WHEN count(connections_closed) = count(*) THEN try_sum(try_cast(connections_closed AS BIGINT))
        END AS closed,
        CASE
            WHEN count(failed_authentications) = count(*) THEN try_sum(try_cast(failed_authentications AS BIGINT))
        END AS failed_authentications
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
        m.leader_count,
        m.partition_count,
        -- the broker's own clock says when it started, so its own clock also says how long ago that is
        (unix_micros(b.read_at) / 1e3D + 1e3D * coalesce(b.agent_clock_skew_s, 0) - m.jvm_start_ms) / 1e3D
            AS process_seconds,
        (unix_micros(b.read_at) / 1e3D + 1e3D * coalesce(b.agent_clock_skew_s, 0) - m.app_start_ms) / 1e3D
            AS accepting_seconds
    FROM totals AS t
    INNER JOIN raw_brokers AS b ON t.cluster = b.cluster AND t.broker = b.broker AND t.sweep_at = b.sweep_at
    INNER JOIN raw_broker_metrics AS m ON t.cluster = m.cluster AND t.broker = m.broker AND t.sweep_at = m.sweep_at
    LEFT JOIN blocked AS a
        ON t.cluster = a.cluster AND t.broker = a.broker AND t.sweep_at = a.sweep_at AND t.listener = a.listener
),

-- before a start that is the last read of the process before: of the pair whose counters may not be compared
pairs AS (
    SELECT
        *,
        max(from_sweep) OVER (PARTITION BY cluster, broker, to_sweep) AS before_sweep
    FROM broker_intervals
),

deltas AS (
    SELECT
        i.cluster,
        i.broker,
        t.listener,
        i.kind,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        t.process_seconds,
        t.accepting_seconds,
        t.processors,
        t.held,
        t.leader_count AS leaders,
        CASE WHEN i.kind = 'start' THEN f.held END AS held_before,
        try_subtract(t.created, CASE WHEN i.kind = 'start' THEN 0 ELSE f.created END) AS created,
        try_subtract(t.closed, CASE WHEN i.kind = 'start' THEN 0 ELSE f.closed END) AS closed,
        try_subtract(
            t.failed_authentications, CASE WHEN i.kind = 'start' THEN 0 ELSE f.failed_authentications END
        ) AS failed_authentications,
        try_subtract(t.blocked_ns, CASE WHEN i.kind = 'start' THEN 0 ELSE f.blocked_ns END) AS blocked_ns,
        -- a partition that is new on the broker, and led there, has not moved
        CASE
            WHEN i.kind = 'start' THEN t.leader_count
            ELSE t.leader_count - f.leader_count - greatest(0, t.partition_count - f.partition_count)
        END AS leaders_gained
    FROM pairs AS i
    INNER JOIN reads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
    LEFT JOIN reads AS f
        ON i.cluster = f.cluster AND i.broker = f.broker AND i.before_sweep = f.sweep_at AND t.listener = f.listener
    WHERE i.same_process AND i.seconds > 0
)

SELECT
    *,
    coalesce(least(created, closed, failed_authentications, blocked_ns) < 0, FALSE) AS ran_back
FROM deltas
