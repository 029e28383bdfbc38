-- Which brokers had coordinators that were not there for long, and where did the log of committed offsets only grow?
-- in:  coordinator_states, coordinator_down_thresholds
-- out: one row per cause, broker and what is coordinated, its longest state, with the worst numbers of its cause that
--      are as sure. seconds: from the first to the last read of a state
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
)

SELECT
    cluster,
    cause,
    strength,
    coordinated,
    broker,
    first_at,
    last_at,
    seconds,
    looks,
    min(first_at) OVER of_cause AS from_at,
    max(last_at) OVER of_cause AS to_at,
    if(cause = 'failed', try_sum(offsets_failed) OVER of_cause, NULL) AS failed_partitions,
    if(cause = 'failed', max(seconds) OVER of_cause, NULL) AS failed_seconds,
    if(cause = 'loading', max(seconds) OVER of_cause, NULL) AS loading_seconds,
    if(cause = 'unavailable', max(seconds) OVER of_cause, NULL) AS unavailable_seconds,
    if(cause IN ('loading', 'unavailable'), try_sum(answers) OVER of_cause, NULL) AS answers,
    if(cause = 'unavailable', max(leaderless) OVER of_cause, NULL) AS leaderless,
    if(cause = 'growing', max(seconds) OVER of_cause, NULL) AS growing_seconds,
    if(cause = 'growing', max(log_gb) OVER of_cause, NULL) AS log_gb,
    if(cause = 'growing', 86400 * max(try_divide(grown_gb, seconds)) OVER of_cause, NULL) AS gb_per_day,
    if(cause = 'growing', group_offsets, NULL) AS group_offsets,
    row_number() OVER (
        PARTITION BY cluster ORDER BY strength ASC, seconds DESC, cause ASC, coordinated ASC, broker ASC
    ) AS ordinal
FROM lasting
WINDOW of_cause AS (PARTITION BY cluster, cause, strength)
