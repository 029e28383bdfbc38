-- What each group has skipped of a topic at one sweep, in bounds.
-- in:  late_commits
-- out: one row per cluster, cause, group, topic and sweep. unexplained: records that the bytes sent to consumers allow
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
        max(try_divide(try_cast(bytes_out AS DOUBLE) * messages_in, bytes_in)) AS records_out,
        -- one window, filled with measured intervals, and a group that had not begun before it
        min(traffic_measured AND begin_known) AND min(from_sweep) = max(from_sweep) AS judgeable
    FROM late_commits
    GROUP BY cluster, cause, group_id, topic, to_sweep
),

budgets AS (
    SELECT
        *,
        CASE
            WHEN
                judgeable
                AND seconds >= :min_budget_s
                AND records_out * (1 + :size_tolerance) >= known_records
                THEN try_subtract(try_cast(ceil(records_out * (1 + :size_tolerance)) AS BIGINT), known_records)
        END AS unexplained
    FROM summed
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
        WHEN reset_policy = 'latest' AND (cause = 'growth' OR there_before >= :min_skipped) THEN 'conclusive'
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
