-- The restarts of the day, as they were judged.
-- out: one row per restart, what was not clean first
SELECT
    cluster,
    broker,
    from_at AS last_read_before,
    process_start,
    judged_as,
    controlled_shutdowns AS counted_shutdowns,
    start_seconds,
    sequence_errors,
    lost_ids AS lost_producer_ids,
    recovered_segments,
    row_number() OVER (
        PARTITION BY cluster
        ORDER BY
            CASE judged_as WHEN 'killed' THEN 0 WHEN 'cut_short' THEN 0 WHEN 'some_killed' THEN 1 ELSE 2 END ASC,
            is_proven DESC, is_long DESC, process_start ASC, broker ASC
    ) AS ordinal
FROM judged_restarts
