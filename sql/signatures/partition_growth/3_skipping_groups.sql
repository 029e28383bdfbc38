-- What each group has skipped of a topic at one sweep, in bounds.
-- out: one row per cluster, cause, group, topic and sweep. unexplained: offsets that the bytes sent to consumers allow
--      beyond what groups are known to have read; null where that cannot be said. reported: none of the cause is surer
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
        min(partition) AS first_partition,
        try_sum(at_most) AS at_most,
        try_sum(there_before) AS there_before,
        max(partitions_added) AS partitions_added,
        max(offset_expirations) AS offset_expirations,
        max(seconds) AS seconds,
        CASE
            -- one window, filled with measured intervals, and a group that had not begun before it
            WHEN
                min(begin_known AND arriving IS NOT NULL AND log_bytes IS NOT NULL)
                AND min(from_sweep) = max(from_sweep)
                AND try_sum(log_bytes) > 0
                -- offsets per byte, of what arrived and of what the logs hold: markers of transactions and what
                -- compaction took away are offsets too
                THEN
                    max(bytes_out)
                    * greatest(max(arriving), try_divide(try_cast(try_sum(offsets_held) AS DOUBLE), try_sum(log_bytes)))
        END AS offsets_out
    FROM late_commits
    GROUP BY cluster, cause, group_id, topic, to_sweep
),

windows AS (
    SELECT DISTINCT
        cluster,
        topic,
        from_sweep,
        to_sweep
    FROM summed
),

-- from two commits each; the offsets of a group without members were set by others
known AS (
    SELECT
        s.*,
        try_sum(p.records) AS records
    FROM windows AS s
    INNER JOIN commit_intervals AS p
        ON s.cluster = p.cluster AND s.topic = p.topic AND s.from_sweep <= p.from_sweep AND s.to_sweep >= p.to_sweep
    LEFT JOIN group_coordinators AS f ON p.cluster = f.cluster AND p.group_id = f.group_id AND p.from_sweep = f.sweep_at
    LEFT JOIN group_coordinators AS t ON p.cluster = t.cluster AND p.group_id = t.group_id AND p.to_sweep = t.sweep_at
    WHERE
        p.records > 0
        AND NOT coalesce(f.group_state IN ('Empty', 'Dead') AND t.group_state IN ('Empty', 'Dead'), FALSE)
    GROUP BY ALL
),

budgets AS (
    SELECT
        s.*,
        t.min_skipped,
        coalesce(k.records, 0) AS known_records,
        CASE
            WHEN s.seconds >= t.min_budget_s AND s.offsets_out * (1 + t.size_tolerance) >= known_records
                THEN try_subtract(try_cast(ceil(s.offsets_out * (1 + t.size_tolerance)) AS BIGINT), known_records)
        END AS unexplained,
        greatest(0, coalesce(try_subtract(s.at_most, unexplained), 0)) AS not_read,
        greatest(
            coalesce(try_subtract(s.at_most, unexplained), 0), if(s.reset_policy = 'latest', s.there_before, 0)
        ) AS at_least
    FROM summed AS s
    INNER JOIN partition_growth_thresholds AS t ON s.cluster = t.cluster
    LEFT JOIN known AS k
        ON s.cluster = k.cluster AND s.topic = k.topic AND s.from_sweep = k.from_sweep AND s.to_sweep = k.to_sweep
    WHERE s.at_most >= t.min_skipped
)

SELECT
    *,
    -- of an offset that expired in use the expiry is proven, whatever was skipped
    if(at_least >= min_skipped OR cause = 'expired_in_use', 'conclusive', 'suggestive') AS strength,
    at_least >= min_skipped
    OR cause = 'expired_in_use'
    OR max(at_least) OVER (PARTITION BY cluster, cause) < min_skipped AS reported,
    row_number() OVER (PARTITION BY cluster, cause, group_id ORDER BY at_least DESC, topic ASC, to_sweep ASC)
        AS place_in_group,
    row_number() OVER (
        PARTITION BY cluster, cause ORDER BY at_least DESC, at_most DESC, group_id ASC, topic ASC, to_sweep ASC
    ) AS place_in_cause
FROM budgets
-- a start on a topic or after an expiry is no fault of its own: it takes proof that it was not from the beginning
WHERE cause != 'first_start' OR at_least >= min_skipped
