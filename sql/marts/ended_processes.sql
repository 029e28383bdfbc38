-- Broker processes that ended: those that another one followed, and those that were not read again. A broker stays in
-- controlled shutdown until it is registered anew.
WITH reads AS (
    SELECT
        m.* EXCEPT (read_at),
        b.read_at,
        b.is_broker,
        b.agent_clock_skew_s,
        coalesce(m.active_controller = 1, FALSE) AS is_controller,
        coalesce(m.jvm_start_ms, m.app_start_ms) AS start_ms
    FROM raw_broker_metrics AS m
    INNER JOIN raw_brokers AS b ON m.cluster = b.cluster AND m.broker = b.broker AND m.sweep_at = b.sweep_at
    LEFT ANTI JOIN cluster_sweeps AS o ON m.cluster = o.cluster AND m.sweep_at = o.sweep_at AND o.overlapped
    WHERE b.read_at IS NOT NULL
),

followed AS (
    SELECT
        *,
        lead(sweep_at) OVER reads_of_broker AS to_sweep,
        lead(read_at) OVER reads_of_broker AS to_at,
        lead(start_ms) OVER reads_of_broker AS next_ms,
        lead(is_broker) OVER reads_of_broker AS is_next_broker,
        lead(agent_clock_skew_s) OVER reads_of_broker AS next_skew_s
    FROM reads
    WINDOW reads_of_broker AS (PARTITION BY cluster, broker ORDER BY sweep_at)
)

SELECT
    f.cluster,
    f.broker,
    f.sweep_at AS from_sweep,
    f.to_sweep,
    f.read_at AS from_at,
    f.to_at,
    f.is_controller AS was_controller,
    f.leader_count AS leaders_before,
    timestamp_millis(f.next_ms) AS process_start,
    coalesce(min(if(b.cluster IS NULL, s.sweep_at, NULL)), f.to_sweep) AS ended_by,
    max_by(c.fenced_brokers, struct(c.sweep_at, c.broker)) AS fenced_brokers,
    max_by(c.controlled_shutdown_brokers, struct(c.sweep_at, c.broker)) AS controlled_shutdown_brokers
FROM followed AS f
LEFT JOIN raw_sweeps AS s
    ON
        f.cluster = s.cluster
        AND f.sweep_at < s.sweep_at
        AND (f.to_sweep IS NULL OR f.to_sweep > s.sweep_at)
        AND s.admin_outcome != 'failed'
LEFT JOIN raw_brokers AS b
    ON f.cluster = b.cluster AND f.broker = b.broker AND s.sweep_at = b.sweep_at AND b.host IS NOT NULL
LEFT JOIN raw_broker_metrics AS c
    ON
        s.cluster = c.cluster AND s.sweep_at = c.sweep_at
        AND b.cluster IS NULL AND c.active_controller = 1 AND c.fenced_brokers > 0
        AND c.controlled_shutdown_brokers >= 0
        -- by the collector's clock
        AND f.next_ms - 1000 * coalesce(f.next_skew_s, 0) > unix_millis(c.read_at) + 1000 * :clock_s
WHERE
    (f.is_broker AND f.to_sweep IS NULL)
    -- another time of start that lies before the last read is a clock set anew, not a new process; by a clock that is
    -- ahead the same process can seem to start after several reads of it
    OR (
        to_date(f.to_sweep) = :ds
        AND f.is_next_broker
        AND f.start_ms != f.next_ms
        AND f.next_ms > unix_millis(f.read_at)
    )
GROUP BY
    f.cluster, f.broker, f.sweep_at, f.to_sweep, f.read_at, f.to_at, f.is_controller, f.leader_count, f.next_ms
