-- Produce answers with a sequence error, in clusters with a restart that was not clean, or long.
-- out: one row per pair of sweeps
SELECT
    e.cluster,
    'errors' AS chart,
    1.0D AS threshold,
    min(e.from_at) AS from_at,
    max(e.to_at) AS to_at,
    try_sum(try_add(e.out_of_order, e.unknown_producer_ids)) AS amount
FROM broker_counters AS e
LEFT SEMI JOIN judged_restarts AS j ON e.cluster = j.cluster AND (j.judged_as IN ('killed', 'some_killed') OR j.is_long)
WHERE e.kind = 'sweeps'
GROUP BY e.cluster, e.to_sweep
