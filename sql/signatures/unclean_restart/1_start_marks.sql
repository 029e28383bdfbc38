-- What the log of a process says of the one before it: the lines up to its broker's next start, by their own times.
-- in:  broker_starts, log_marks
-- out: one row per process with lines. is_unclean: segments were read again and no directory had been closed;
--      is_clean: all had been; tells_clean: its release says so of a directory, as those from 2.6 on do
WITH processes AS (
    SELECT
        cluster,
        broker,
        process_start,
        lead(process_start) OVER (PARTITION BY cluster, broker ORDER BY process_start) AS next_start
    FROM broker_starts
),

told AS (
    SELECT
        p.cluster,
        p.broker,
        p.process_start,
        count_if(m.mark = 'clean_start') AS clean_starts,
        count_if(m.mark = 'unclean_start') AS unclean_starts,
        try_sum(if(m.mark = 'unclean_start', m.numbers, NULL)) AS recovered_logs,
        try_sum(if(m.mark = 'recovered_segment', m.line_count, NULL)) AS recovered_segments,
        try_sum(if(m.mark = 'producer_state_rebuilt', m.numbers, NULL)) / 1000D AS rebuild_seconds,
        min(if(m.mark = 'recovered_segment', m.first_at, NULL)) AS first_at,
        max(if(m.mark = 'recovered_segment', m.last_at, NULL)) AS recovered_to
    FROM processes AS p
    INNER JOIN log_marks AS m ON p.cluster = m.cluster AND p.broker = m.broker AND p.process_start <= m.last_at
    WHERE p.next_start IS NULL OR m.last_at < p.next_start
    GROUP BY p.cluster, p.broker, p.process_start
)

SELECT
    * EXCEPT (clean_starts, unclean_starts, first_at),
    -- a run of lines of two processes within a minute of each other begins with those of the first
    greatest(first_at, process_start) AS recovered_from,
    coalesce(recovered_segments > 0 AND clean_starts = 0, FALSE) AS is_unclean,
    clean_starts > 0 AND unclean_starts = 0 AND recovered_segments IS NULL AS is_clean,
    unclean_starts > 0 AS tells_clean
FROM told
