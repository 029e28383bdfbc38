-- What each group has skipped of a topic at one sweep, in bounds.
-- in:  late_commits
-- out: one row per cluster, cause, group, topic and sweep. unexplained: offsets that the bytes sent to consumers allow
--      beyond what groups are known to have read; null where that cannot be said
WITH summed AS (
    SELECT
        cluster,
        cause,
        group_id,
        topic,
        to_sweep,
        max(reset_policy) AS reset_policy,
        min(coalesce(from_sweep, to_sweep)) AS from_sweep,
        max(read_at) AS read_at,
        count(*) AS skipped_partitions,
        try_sum(at_most) AS at_most,
        try_sum(there_before) AS there_before,
        max(partitions_of_topic - partitions_before) AS partitions_added,
        max(offset_expirations) AS offset_expirations,
        max(seconds) AS seconds,
        max(bytes_out) AS bytes_out,
        max(known_records) AS known_records,
        -- offsets per byte, of what arrived and of what the logs hold: markers of transactions and what compaction
        -- took away are offsets too
        max(try_divide(try_cast(greatest(messages_in, appended) AS DOUBLE), bytes_in)) AS arriving,
        try_divide(
            try_cast(try_sum(log_end_offset - log_start_offset) AS DOUBLE), try_sum(log_bytes)
        ) AS held,
        min(appended IS NOT NULL AND log_bytes IS NOT NULL) AS sizes_known,
        -- one window, filled with measured intervals, and a group that had not begun before it
        min(traffic_measured AND begin_known) AND min(from_sweep) = max(from_sweep) AS judgeable
    FROM late_commits
    GROUP BY cluster, cause, group_id, topic, to_sweep
),

sent AS (
    SELECT
        *,
        CASE
            WHEN sizes_known AND arriving IS NOT NULL AND held IS NOT NULL
                THEN bytes_out * greatest(arriving, held) * (1 + :size_tolerance)
        END AS offsets_out
    FROM summed
),

budgets AS (
    SELECT
        *,
        CASE
            WHEN judgeable AND seconds >= :min_budget_s AND offsets_out >= known_records
                THEN try_subtract(try_cast(ceil(offsets_out) AS BIGINT), known_records)
        END AS unexplained
    FROM sent
),

bounded AS (
    SELECT
        *,
        greatest(0, coalesce(try_subtract(at_most, unexplained), 0)) AS not_read
    FROM budgets
)

SELECT
    *,
    CASE WHEN reset_policy = 'latest' THEN greatest(not_read, there_before) ELSE not_read END AS at_least,
    CASE
        WHEN not_read >= :min_skipped THEN 'conclusive'
        WHEN reset_policy = 'latest' AND there_before >= :min_skipped THEN 'conclusive'
        ELSE 'suggestive'
    END AS strength
FROM bounded
WHERE
    at_most >= :min_skipped
    -- a start on a topic or after an expiry is no fault of its own: it takes proof that it was not from the beginning
    AND (
        cause != 'first_start'
        OR not_read >= :min_skipped
        OR (reset_policy = 'latest' AND there_before >= :min_skipped)
    )
