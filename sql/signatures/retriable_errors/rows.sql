-- Every Produce error code of the day by broker and interval; those that a retry does not mend are kept apart.
-- in:  produce_errors
-- out: at most 40 rows per cluster, retriable ones first, the most errors first
WITH ranked AS (
    SELECT
        cluster,
        broker,
        from_at,
        to_at,
        error,
        errors,
        batches,
        CASE
            WHEN cause IS NOT NULL THEN cause
            WHEN other_retriable THEN 'apart, retriable'
            ELSE 'apart, not retriable'
        END AS counted_as,
        row_number() OVER (
            PARTITION BY cluster ORDER BY cause IS NULL ASC, errors DESC, to_at ASC, broker ASC, error ASC
        ) AS place
    FROM produce_errors
)

SELECT
    cluster,
    broker,
    from_at,
    to_at,
    error,
    counted_as,
    errors AS partition_batches,
    batches AS of_all
FROM ranked
WHERE place <= 40
ORDER BY cluster, place
