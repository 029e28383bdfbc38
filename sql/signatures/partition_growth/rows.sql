-- The first commits behind a detection, the reported ones first, with the bounds of each.
-- in:  skipped_partitions
-- out: at most 40 rows per cluster. begins: where reading from the start, or from the lost offset, would have begun
WITH shown AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY cluster ORDER BY reported DESC, cause ASC, place ASC) AS line
    FROM skipped_partitions
)

SELECT
    cluster,
    to_sweep AS first_commit_seen,
    group_id AS consumer_group,
    base AS begins,
    committed_offset AS first_commit,
    at_least AS skipped_at_least,
    at_most AS skipped_at_most,
    cause,
    concat(topic, '-', partition) AS topic_partition
FROM shown
WHERE line <= 40
ORDER BY cluster, line
