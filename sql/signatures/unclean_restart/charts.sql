-- Points of the day for the letter: Produce answers with a sequence error, in clusters with a restart that is shown.
-- in:  judged_restarts, sequence_errors
-- out: one row per point: cluster, title, unit, threshold, from_at, to_at, ratio (the value)
WITH shown AS (
    SELECT DISTINCT cluster
    FROM judged_restarts
    WHERE judged_as IN ('killed', 'some_killed') OR is_long
),

sums AS (
    SELECT
        e.cluster,
        e.to_sweep,
        min(e.from_at) AS from_at,
        max(e.to_at) AS to_at,
        try_sum(try_add(e.out_of_order, e.unknown_producer_ids)) AS answers
    FROM sequence_errors AS e
    INNER JOIN shown AS s ON e.cluster = s.cluster
    WHERE e.kind = 'sweeps'
    GROUP BY e.cluster, e.to_sweep
)

SELECT
    cluster,
    from_at,
    to_at,
    'answers' AS unit,
    'Produce answers with a sequence error' AS title,
    1.0D AS threshold,
    try_cast(answers AS DOUBLE) AS ratio
FROM sums
WHERE answers IS NOT NULL
ORDER BY cluster, to_at
