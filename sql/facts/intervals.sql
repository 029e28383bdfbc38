-- Pairs of consecutive reads of one broker, and process start -> first read.
-- in:  raw_brokers, raw_broker_metrics, raw_sweeps of the day and of each cluster's last earlier sweep;
--      cluster_sweeps
-- out: one row per broker and interval that ends on the day. same_process tells whether counters may be subtracted;
--      kind start has no first read: counters began at 0 when the process did. laid_beside: the partitions of the
--      second sweep carry the log ends of the first. seconds is 0, so that nothing is divided by it, when the agent's
--      clock and the collector's disagree by more than clock_s seconds on how long it was: one of them was set.
WITH reads AS (
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at,
        b.read_at,
        b.agent_clock_skew_s AS ahead_s,
        coalesce(b.seconds, 0) AS took_s,
        timestamp_millis(coalesce(m.jvm_start_ms, m.app_start_ms)) AS process_start,
        -- the broker's own clock says when its process began; by the collector's that was sooner, or later
        timestamp_millis(
            try_subtract(
                coalesce(m.jvm_start_ms, m.app_start_ms),
                CASE
                    WHEN abs(b.agent_clock_skew_s) > :clock_s THEN try_cast(1000 * b.agent_clock_skew_s AS BIGINT)
                    ELSE 0
                END
            )
        ) AS began_at
    FROM raw_brokers AS b
    INNER JOIN raw_broker_metrics AS m
        ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    LEFT ANTI JOIN cluster_sweeps AS o ON b.cluster = o.cluster AND b.sweep_at = o.sweep_at AND o.overlapped
    WHERE b.read_at IS NOT NULL
),

paired AS (
    SELECT
        cluster,
        broker,
        sweep_at AS to_sweep,
        read_at AS to_at,
        ahead_s,
        took_s,
        process_start,
        began_at,
        lag(sweep_at) OVER (PARTITION BY cluster, broker ORDER BY sweep_at) AS from_sweep,
        lag(read_at) OVER (PARTITION BY cluster, broker ORDER BY sweep_at) AS from_at,
        lag(ahead_s) OVER (PARTITION BY cluster, broker ORDER BY sweep_at) AS from_ahead_s,
        lag(took_s) OVER (PARTITION BY cluster, broker ORDER BY sweep_at) AS from_took_s,
        lag(process_start) OVER (PARTITION BY cluster, broker ORDER BY sweep_at) AS from_process_start
    FROM reads
),

-- the JVM reports its start to the ms, so two reads of one process agree exactly
judged AS (
    SELECT
        *,
        from_sweep IS NOT NULL AND process_start <=> from_process_start AS same_process,
        -- a slow answer is stamped at its end and read in its middle
        coalesce(abs(ahead_s - from_ahead_s) > :clock_s + took_s + from_took_s, FALSE) AS clock_set
    FROM paired
),

kinds AS (
    SELECT
        cluster,
        broker,
        from_sweep,
        to_sweep,
        from_at,
        to_at,
        began_at,
        same_process,
        clock_set,
        explode(array('sweeps', 'start')) AS kind
    FROM judged
),

pairs_and_starts AS (
    SELECT
        cluster,
        broker,
        kind,
        to_sweep,
        to_at,
        kind = 'start' OR same_process AS same_process,
        kind = 'sweeps' AND clock_set AS clock_set,
        CASE WHEN kind = 'sweeps' THEN from_sweep END AS from_sweep,
        CASE WHEN kind = 'sweeps' THEN from_at ELSE began_at END AS from_at
    FROM kinds
    -- a first sweep of a broker that has been up for long says little about the day
    WHERE
        CASE
            WHEN kind = 'sweeps' THEN from_sweep IS NOT NULL
            ELSE
                NOT same_process
                AND (from_at IS NULL OR began_at > from_at)
                AND unix_micros(to_at) - unix_micros(began_at) < :start_hours * 3600000000
        END
)

SELECT
    p.cluster,
    p.broker,
    p.kind,
    p.from_sweep,
    p.to_sweep,
    p.from_at,
    p.to_at,
    p.same_process,
    coalesce(s.previous_sweep_at = p.from_sweep, FALSE) AS laid_beside,
    CASE WHEN p.clock_set THEN 0D ELSE (unix_micros(p.to_at) - unix_micros(p.from_at)) / 1e6D END AS seconds
FROM pairs_and_starts AS p
LEFT JOIN raw_sweeps AS s ON p.cluster = s.cluster AND p.to_sweep = s.sweep_at
WHERE to_date(p.to_sweep) = :ds
