-- At which reads was a broker's log cleaner at work, and came to nothing?
-- in:  broker_sweeps, topic_days, cleaner_stuck_thresholds
-- out: one row per kind, broker and read. nth: of the reads of the process; rows with consecutive ones are one
--      state, of the kind "same" if they are as dirty. least_percent: while less of it is dirty no log is compacted
--      for its ratio. is_due: it has to be compacted at the next look, whatever log it is. restless: it has just looked
WITH policies AS (
    SELECT
        *,
        contains(cleanup_policy, 'compact') AS is_compacted
    FROM topic_days
),

ratios AS (
    SELECT
        cluster,
        100 * min(if(is_compacted, min_cleanable_ratio, NULL)) AS least_percent,
        -- any topic of which this is not known may have a higher one
        if(
            count_if(is_compacted IS NULL OR (is_compacted AND min_cleanable_ratio IS NULL)) = 0,
            100 * max(if(is_compacted, min_cleanable_ratio, NULL)),
            NULL
        ) AS cleanable_percent,
        count_if(is_compacted AND contains(cleanup_policy, 'delete')) > 0 AS also_deletes
    FROM policies
    GROUP BY cluster
),

reads AS (
    SELECT
        b.cluster,
        b.broker,
        b.start_ms,
        b.read_at,
        b.partition_count,
        b.cleaner_max_dirty_percent AS dirty_percent,
        b.cleaner_max_buffer_percent AS buffer_percent,
        b.cleaner_recopy_percent AS recopy_percent,
        b.cleaner_max_clean_seconds AS pass_seconds,
        b.cleaner_max_compaction_delay_seconds AS delay_seconds,
        b.cleaner_idle_ms,
        r.least_percent,
        r.cleanable_percent,
        r.also_deletes,
        row_number() OVER process AS nth,
        unix_micros(b.read_at) - lag(unix_micros(b.read_at)) OVER process AS since_micros,
        lag(b.cleaner_max_compaction_delay_seconds) OVER process AS from_delay_seconds
    FROM broker_sweeps AS b
    LEFT JOIN ratios AS r ON b.cluster = r.cluster
    WHERE b.read_at IS NOT NULL AND b.cleaner_idle_ms IS NOT NULL
    WINDOW process AS (PARTITION BY b.cluster, b.broker, b.start_ms ORDER BY b.sweep_at)
),

flags AS (
    SELECT
        r.*,
        t.max_told_percent,
        t.min_buffer_percent,
        t.min_overdue_s,
        -- it looked for a log since the read before
        coalesce(1000 * r.cleaner_idle_ms < r.since_micros, FALSE) AS looked,
        looked AND coalesce(r.dirty_percent > r.cleanable_percent, FALSE) AS is_due,
        -- what max.compaction.lag.ms asks for is compacted before what is dirtier
        coalesce(r.delay_seconds, 0) <= 0 AND r.cleaner_idle_ms <= t.max_idle_ms AS restless
    FROM reads AS r
    INNER JOIN cleaner_stuck_thresholds AS t ON r.cluster = t.cluster
)

SELECT
    * EXCEPT (
        looked, cleaner_idle_ms, cleanable_percent, since_micros, from_delay_seconds, max_told_percent,
        min_buffer_percent, min_overdue_s
    ),
    explode(
        array_compact(
            array(
                if(dirty_percent > least_percent AND dirty_percent <= max_told_percent, 'same', NULL),
                -- it is all dirty, as if it had never been compacted, and the pass before was none
                if(looked AND pass_seconds < 1 AND (dirty_percent = 100 OR dirty_percent <= 50), 'anew', NULL),
                if(is_due AND buffer_percent >= min_buffer_percent, 'buffer', NULL),
                -- the delay of the last pass stays in the gauge; one that grows is of today
                if(delay_seconds >= min_overdue_s AND delay_seconds > from_delay_seconds, 'overdue', NULL)
            )
        )
    ) AS kind
FROM flags
