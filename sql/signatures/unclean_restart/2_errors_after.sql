-- Sequence errors in the cluster from the last read before each restart to some time after it.
-- in:  restarts, sequence_errors
-- out: one row per restart; counts, null where nothing was read
SELECT
    r.cluster,
    r.broker,
    r.to_sweep,
    try_sum(try_add(e.out_of_order, e.unknown_producer_ids)) AS sequence_errors,
    try_sum(e.invalid_records) AS invalid_records
FROM restarts AS r
INNER JOIN sequence_errors AS e ON r.cluster = e.cluster
WHERE
    array_contains(:clusters, r.cluster)
    -- the brokers are read a moment apart, so that an interval of the same two sweeps may begin a little before
    AND unix_micros(e.from_at) >= unix_micros(r.from_at) - 60000000
    AND unix_micros(e.from_at) < unix_micros(r.to_at) + 1000000 * :error_s
GROUP BY r.cluster, r.broker, r.to_sweep
