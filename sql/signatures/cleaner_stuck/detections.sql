-- On which brokers does the log cleaner work for hours and come to nothing, and which logs can it not compact?
-- in:  cleaner_states, open_transactions, topic_days, cleaner_stuck_thresholds
-- out: one row per cause and broker, its longest state, and one per transaction that holds a compacted partition back,
--      with the longest time of all that is as sure. seconds: from the first to the last read
WITH numbered AS (
    SELECT
        *,
        nth - row_number() OVER (
            PARTITION BY cluster, broker, start_ms, kind, if(kind = 'same', dirty_percent, NULL) ORDER BY nth
        ) AS streak
    FROM cleaner_states
),

states AS (
    SELECT
        cluster,
        if(kind IN ('same', 'anew'), 'loop', kind) AS cause,
        broker,
        NULL AS topic,
        NULL AS partition_id,
        min(read_at) AS first_at,
        max(read_at) AS last_at,
        (unix_micros(max(read_at)) - unix_micros(min(read_at))) / 1e6D AS seconds,
        count_if(if(kind = 'anew', dirty_percent = 100, kind != 'same' OR is_due)) AS sure_looks,
        if(kind = 'same' AND min(restless), count(*), 0) AS restless_looks,
        kind IN ('buffer', 'overdue') OR (kind = 'anew' AND max(also_deletes)) AS is_open,
        max(dirty_percent) AS dirty_percent,
        max(least_percent) AS least_percent,
        min(buffer_percent) AS buffer_percent,
        max_by(recopy_percent, nth) AS recopy_percent,
        max(pass_seconds) AS pass_seconds,
        max(delay_seconds) AS delay_seconds,
        NULL AS held_records
    FROM numbered
    GROUP BY cluster, kind, broker, start_ms, if(kind = 'same', dirty_percent, NULL), streak
    -- a backlog that shrinks is worked off; in a loop that begins anew one share shows beside 100
    HAVING
        kind NOT IN ('anew', 'buffer')
        OR (kind = 'buffer' AND max_by(dirty_percent, nth) >= min_by(dirty_percent, nth))
        OR (
            kind = 'anew' AND (3 * sure_looks >= count(*) OR min(restless))
            AND min(partition_count) = max(partition_count) AND count(DISTINCT nullif(dirty_percent, 100)) <= 1
        )
    UNION ALL
    SELECT
        o.cluster,
        'held_back' AS cause,
        max_by(o.broker, o.sweep_at) AS broker,
        o.topic,
        o.partition AS partition_id,
        min(o.read_at) AS first_at,
        max(o.read_at) AS last_at,
        (unix_micros(max(o.read_at)) - unix_micros(min(o.read_at))) / 1e6D AS seconds,
        count(*) AS sure_looks,
        0 AS restless_looks,
        FALSE AS is_open,
        NULL AS dirty_percent,
        NULL AS least_percent,
        NULL AS buffer_percent,
        NULL AS recopy_percent,
        NULL AS pass_seconds,
        NULL AS delay_seconds,
        max(o.high_watermark) - o.start_offset AS held_records
    FROM open_transactions AS o
    INNER JOIN topic_days AS d
        ON o.cluster = d.cluster AND o.topic = d.topic AND contains(d.cleanup_policy, 'compact')
    GROUP BY o.cluster, o.topic, o.partition, o.producer_id, o.start_offset
),

lasting AS (
    SELECT
        s.*,
        if(s.is_open OR s.sure_looks < t.min_looks, 'suggestive', 'conclusive') AS strength,
        row_number() OVER (
            PARTITION BY s.cluster, s.cause, s.broker, s.topic, s.partition_id
            ORDER BY s.is_open OR s.sure_looks < t.min_looks, s.seconds DESC, s.first_at ASC
        ) AS nth_state
    FROM states AS s
    INNER JOIN cleaner_stuck_thresholds AS t ON s.cluster = t.cluster
    WHERE
        (s.sure_looks >= t.min_looks OR s.restless_looks >= t.min_restless_looks)
        AND s.seconds >= if(s.cause = 'loop', t.min_loop_s, t.min_lasting_s)
        AND coalesce(s.held_records >= t.min_held_records, TRUE)
)

SELECT
    * EXCEPT (sure_looks, restless_looks, is_open),
    greatest(sure_looks, restless_looks) AS looks,
    if(cause = 'loop', max(seconds) OVER of_cause, NULL) AS loop_seconds,
    if(cause = 'buffer', max(seconds) OVER of_cause, NULL) AS full_seconds,
    if(cause = 'overdue', max(delay_seconds) OVER of_cause, NULL) AS overdue_seconds,
    if(cause = 'held_back', max(seconds) OVER of_cause, NULL) AS held_seconds,
    min(first_at) OVER of_cause AS from_at,
    max(last_at) OVER of_cause AS to_at,
    row_number() OVER (
        PARTITION BY cluster ORDER BY seconds DESC, cause ASC, broker ASC, topic ASC, partition_id ASC
    ) AS ordinal
FROM lasting
WHERE nth_state = 1
WINDOW of_cause AS (PARTITION BY cluster, cause, strength)
