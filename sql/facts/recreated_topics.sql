-- Topics that were deleted and created anew between two reads, by their ids.
-- in:  broker_intervals (kind sweeps), topic_shapes
-- out: one row per pair of sweeps of an interval and topic with another id at the second
WITH spans AS (
    SELECT DISTINCT
        cluster,
        from_sweep,
        to_sweep
    FROM broker_intervals
    WHERE kind = 'sweeps'
)

SELECT
    s.cluster,
    s.from_sweep,
    s.to_sweep,
    t.topic
FROM spans AS s
INNER JOIN topic_shapes AS t ON s.cluster = t.cluster AND s.to_sweep = t.sweep_at
INNER JOIN topic_shapes AS f ON s.cluster = f.cluster AND s.from_sweep = f.sweep_at AND t.topic = f.topic
WHERE t.topic_id != f.topic_id
