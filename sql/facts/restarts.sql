-- Brokers found with another process than at their read before, and the controlled shutdowns that controllers counted
-- while the old process ended.
-- in:  intervals, raw_sweeps, raw_brokers, raw_broker_metrics
-- out: one row per broker and such pair of reads. ended_by: the first sweep after the old process's last read that does
--      not list the broker, else that which reads the new process. controlled_shutdowns: counted from from_sweep to
--      ended_by by other nodes whose process lived on; null unless they had the active controller at both. stops:
--      brokers that ended within that span, this one included; possible_stops: those that may have.
WITH reads AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        controlled_shutdowns,
        coalesce(active_controller = 1, FALSE) AS is_controller,
        coalesce(jvm_start_ms, app_start_ms) AS began_ms
    FROM raw_broker_metrics
),

-- processes that ended: those that another one followed, and those that were not read again
lives AS (
    SELECT
        i.cluster,
        i.broker,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
        f.is_controller AS was_controller,
        timestamp_millis(t.began_ms) AS process_start
    FROM broker_intervals AS i
    INNER JOIN reads AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
    INNER JOIN reads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
    INNER JOIN raw_brokers AS b
        ON i.cluster = b.cluster AND i.broker = b.broker AND i.to_sweep = b.sweep_at AND b.is_broker
    -- another time of start that lies before the last read is a clock set anew, not a new process; by a clock that is
    -- ahead the same process can seem to start after several reads of it
    WHERE i.kind = 'sweeps' AND f.began_ms != t.began_ms AND t.began_ms > unix_millis(i.from_at)
    UNION ALL
    SELECT
        cluster,
        broker,
        max(sweep_at) AS from_sweep,
        cast(NULL AS TIMESTAMP) AS to_sweep,
        cast(NULL AS TIMESTAMP) AS from_at,
        cast(NULL AS TIMESTAMP) AS to_at,
        cast(NULL AS DOUBLE) AS seconds,
        cast(NULL AS BOOLEAN) AS was_controller,
        cast(NULL AS TIMESTAMP) AS process_start
    FROM raw_brokers
    WHERE is_broker AND read_at IS NOT NULL
    GROUP BY cluster, broker
),

-- sweeps of the day, after the last read, whose metadata does not list the broker
ends AS (
    SELECT
        l.*,
        coalesce(min(CASE WHEN b.cluster IS NULL THEN s.sweep_at END), max(l.to_sweep)) AS ended_by
    FROM lives AS l
    LEFT JOIN raw_sweeps AS s
        ON
            l.cluster = s.cluster
            AND l.from_sweep < s.sweep_at
            AND (l.to_sweep IS NULL OR l.to_sweep > s.sweep_at)
            AND s.admin_outcome != 'failed'
    LEFT JOIN raw_brokers AS b
        ON l.cluster = b.cluster AND l.broker = b.broker AND s.sweep_at = b.sweep_at AND b.host IS NOT NULL
    GROUP BY ALL
),

stops AS (
    SELECT
        c.*,
        count_if(o.from_sweep >= c.from_sweep AND o.ended_by <= c.ended_by) AS stops,
        count(*) AS possible_stops
    FROM ends AS c
    INNER JOIN ends AS o ON c.cluster = o.cluster AND c.ended_by > o.from_sweep AND c.from_sweep < o.ended_by
    WHERE c.to_sweep IS NOT NULL
    GROUP BY ALL
),

shown AS (
    SELECT
        cluster,
        max(controlled_shutdowns IS NOT NULL) AS has_counter
    FROM raw_broker_metrics
    GROUP BY cluster
)

SELECT
    s.*,
    h.has_counter,
    CASE
        WHEN max(t.broker IS NOT NULL AND f.is_controller) AND max(t.is_controller) AND NOT max(s.was_controller)
            THEN try_sum(t.controlled_shutdowns - f.controlled_shutdowns)
    END AS controlled_shutdowns
FROM stops AS s
INNER JOIN shown AS h ON s.cluster = h.cluster
LEFT JOIN reads AS f ON s.cluster = f.cluster AND s.from_sweep = f.sweep_at AND s.broker != f.broker
LEFT JOIN reads AS t
    ON
        s.cluster = t.cluster
        AND s.ended_by = t.sweep_at
        AND f.broker = t.broker
        AND f.began_ms = t.began_ms
        AND f.controlled_shutdowns <= t.controlled_shutdowns
GROUP BY ALL
