-- Leaders that hold an in-sync set shorter than the replicas, at each sweep.
-- in:  raw_partitions
-- out: one row per broker, partition and sweep
SELECT
    cluster,
    broker,
    sweep_at,
    topic,
    partition
FROM raw_partitions
WHERE replicas_count > 0 AND isr_count < replicas_count
