-- Pairs of consecutive reads of one broker, and process start -> first read, where counters began at 0. seconds is 0,
-- so that nothing is divided by it, when the agent's clock and the collector's disagree by more than clock_s seconds on
-- how long it was: one of them was set.
WITH reads AS (
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at,
        b.read_at,
        b.agent_clock_skew_s AS skew_s,
        s.previous_sweep_at,
        coalesce(m.jvm_start_ms, m.app_start_ms) AS start_ms,
        coalesce(b.seconds, 0) AS answer_s
    FROM raw_brokers AS b
    INNER JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    LEFT JOIN raw_sweeps AS s ON b.cluster = s.cluster AND b.sweep_at = s.sweep_at
    LEFT ANTI JOIN cluster_sweeps AS o ON b.cluster = o.cluster AND b.sweep_at = o.sweep_at AND o.overlapped
    WHERE b.read_at IS NOT NULL
),

paired AS (
    SELECT
        *,
        -- the broker's own clock says when its process began; by the collector's that was sooner, or later
        timestamp_millis(
            try_subtract(start_ms, if(abs(skew_s) > :clock_s, try_cast(1000 * skew_s AS BIGINT), 0))
        ) AS began_at,
        lag(sweep_at) OVER earlier AS sweep_before,
        lag(read_at) OVER earlier AS read_before,
        -- the JVM reports its start to the ms, so two reads of one process agree exactly
        lag(sweep_at) OVER earlier IS NOT NULL AND start_ms <=> lag(start_ms) OVER earlier AS same_process,
        -- a slow answer is stamped at its end and read in its middle
        coalesce(abs(skew_s - lag(skew_s) OVER earlier) > :clock_s + answer_s + lag(answer_s) OVER earlier, FALSE)
            AS clock_set
    FROM reads
    WINDOW earlier AS (PARTITION BY cluster, broker ORDER BY sweep_at)
)

SELECT
    cluster,
    broker,
    kind,
    sweep_at AS to_sweep,
    read_at AS to_at,
    sweep_before AS before_sweep,
    if(kind = 'sweeps', sweep_before, NULL) AS from_sweep,
    if(kind = 'sweeps', read_before, began_at) AS from_at,
    kind = 'start' OR same_process AS same_process,
    coalesce(kind = 'sweeps' AND previous_sweep_at = sweep_before, FALSE) AS laid_beside,
    CASE
        WHEN kind = 'start' THEN (unix_micros(read_at) - unix_micros(began_at)) / 1e6D
        WHEN clock_set THEN 0D
        ELSE (unix_micros(read_at) - unix_micros(read_before)) / 1e6D
    END AS seconds
FROM paired
    LATERAL VIEW explode(array('sweeps', 'start')) k AS kind
WHERE
    to_date(sweep_at) = :ds
    AND CASE
        WHEN kind = 'sweeps' THEN sweep_before IS NOT NULL
        -- a first sweep of a broker that has been up for long says little about the day
        ELSE
            NOT same_process
            AND (read_before IS NULL OR began_at > read_before)
            AND unix_micros(read_at) - unix_micros(began_at) < :start_hours * 3600000000
    END
