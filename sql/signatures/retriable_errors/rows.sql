-- Every Produce error code of the day by broker and interval; those that a retry does not mend are kept apart.
-- out: one row per broker, interval and error code, retriable ones first, the most errors first
SELECT
    cluster,
    broker,
    from_at,
    to_at,
    error,
    cause,
    errors,
    batches,
    row_number() OVER (
        PARTITION BY cluster ORDER BY cause IS NULL ASC, errors DESC, to_at ASC, broker ASC, error ASC
    ) AS ordinal
FROM produce_errors
