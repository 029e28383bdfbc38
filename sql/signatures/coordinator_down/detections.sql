-- Which brokers had coordinators that were not there for long, and where did the log of committed offsets only grow?
-- in:  coordinator_states, log_marks, coordinator_down_thresholds
-- out: one row per cause, broker and what is coordinated, its longest state, with the worst numbers of its cause that
--      are as sure. seconds: from the first to the last read of a state. What the broker's log says of loads that
--      failed, from the read before on, stands beside it; a minute is for clocks that differ
WITH numbered AS (
    SELECT
        *,
        replace(kind, 'transactions_', '') AS cause,
        if(contains(kind, 'transactions'), 'transactions', 'groups') AS coordinated,
        nth - row_number() OVER (PARTITION BY cluster, broker, kind ORDER BY nth) AS streak,
        CASE kind
            WHEN 'loading' THEN loading
            WHEN 'transactions_loading' THEN transactions_loading
            WHEN 'unavailable' THEN unavailable
            WHEN 'transactions_unavailable' THEN transactions_unavailable
        END AS answers
    FROM coordinator_states
),

states AS (
    SELECT
        cluster,
        cause,
        coordinated,
        broker,
        if(cause = 'failed', min(to_at), min(from_at)) AS first_at,
        min(from_at) AS began_after,
        max(to_at) AS last_at,
        (unix_micros(last_at) - unix_micros(first_at)) / 1e6D AS seconds,
        count(*) AS looks,
        if(
            CASE cause WHEN 'unavailable' THEN min(leaderless) > 0 WHEN 'growing' THEN min(is_compacted) ELSE TRUE END,
            'conclusive', 'suggestive'
        ) AS strength,
        try_sum(answers) AS answers,
        max(offsets_failed) AS offsets_failed,
        min(leaderless) AS leaderless,
        max_by(offsets_log_bytes, nth) / 1e9D AS log_gb,
        (max_by(offsets_log_bytes, nth) - min_by(from_offsets_log_bytes, nth)) / 1e9D AS grown_gb,
        max(group_offsets) AS group_offsets
    FROM numbered
    GROUP BY cluster, cause, coordinated, broker, streak
),

lasting AS (
    SELECT s.*
    FROM states AS s
    INNER JOIN coordinator_down_thresholds AS t ON s.cluster = t.cluster
    WHERE
        s.looks >= t.min_looks
        AND CASE s.cause
            WHEN 'failed' THEN s.seconds >= t.min_failed_s
            WHEN 'growing' THEN s.seconds >= t.min_growing_s AND s.grown_gb > 0
            ELSE s.seconds >= t.min_lasting_s
        END
    QUALIFY
        row_number() OVER (
            PARTITION BY s.cluster, s.cause, s.coordinated, s.broker
            ORDER BY s.strength ASC, s.seconds DESC, s.first_at ASC
        ) = 1
),

told AS (
    SELECT
        s.cluster,
        s.broker,
        try_sum(if(m.mark = 'load_owned_twice', m.line_count, NULL)) AS owned_lines,
        try_sum(if(m.mark = 'load_not_consumer', m.line_count, NULL)) AS consumer_lines,
        try_sum(if(m.mark = 'load_not_streams', m.line_count, NULL)) AS streams_lines,
        min(m.first_at) AS told_from,
        max(m.last_at) AS told_to
    FROM lasting AS s
    INNER JOIN log_marks AS m
        ON
            s.cluster = m.cluster AND s.broker = m.broker
            AND unix_micros(m.last_at) >= unix_micros(s.began_after) - 60000000
            AND unix_micros(m.first_at) <= unix_micros(s.last_at) + 60000000
    WHERE s.cause = 'failed' AND m.mark IN ('load_owned_twice', 'load_not_consumer', 'load_not_streams')
    GROUP BY s.cluster, s.broker
)

SELECT
    s.cluster,
    s.cause,
    s.strength,
    s.coordinated,
    s.broker,
    s.first_at,
    s.last_at,
    s.seconds,
    s.looks,
    min(s.first_at) OVER of_cause AS from_at,
    max(s.last_at) OVER of_cause AS to_at,
    if(s.cause = 'failed', try_sum(s.offsets_failed) OVER of_cause, NULL) AS failed_partitions,
    if(s.cause = 'failed', max(s.seconds) OVER of_cause, NULL) AS failed_seconds,
    try_sum(m.owned_lines) OVER of_cause AS owned_lines,
    try_sum(m.consumer_lines) OVER of_cause AS consumer_lines,
    try_sum(m.streams_lines) OVER of_cause AS streams_lines,
    min(m.told_from) OVER of_cause AS told_from,
    max(m.told_to) OVER of_cause AS told_to,
    if(s.cause = 'loading', max(s.seconds) OVER of_cause, NULL) AS loading_seconds,
    if(s.cause = 'unavailable', max(s.seconds) OVER of_cause, NULL) AS unavailable_seconds,
    if(s.cause IN ('loading', 'unavailable'), try_sum(s.answers) OVER of_cause, NULL) AS answers,
    if(s.cause = 'unavailable', max(s.leaderless) OVER of_cause, NULL) AS leaderless,
    if(s.cause = 'growing', max(s.seconds) OVER of_cause, NULL) AS growing_seconds,
    if(s.cause = 'growing', max(s.log_gb) OVER of_cause, NULL) AS log_gb,
    if(s.cause = 'growing', 86400 * max(try_divide(s.grown_gb, s.seconds)) OVER of_cause, NULL) AS gb_per_day,
    if(s.cause = 'growing', s.group_offsets, NULL) AS group_offsets,
    row_number() OVER (
        PARTITION BY s.cluster ORDER BY s.strength ASC, s.seconds DESC, s.cause ASC, s.coordinated ASC, s.broker ASC
    ) AS ordinal
FROM lasting AS s
LEFT JOIN told AS m ON s.cluster = m.cluster AND s.broker = m.broker AND s.cause = 'failed'
WINDOW of_cause AS (PARTITION BY s.cluster, s.cause, s.strength)
