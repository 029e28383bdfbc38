-- Transactions that were open on partitions for long, at each sweep that saw them, and what coordinators said of them.
-- in:  raw_open_transactions
-- out: one row per transaction, partition and sweep. held: ongoing or ending by its coordinator; ended: it knows the
--      producer, and no transaction of it that has the partition; unknown: no coordinator knows the producer; null
--      where not all were asked. idle_seconds: how long its producer had sent nothing here, as sweeps saw it
SELECT
    cluster,
    topic,
    partition,
    producer_id,
    start_offset,
    sweep_at,
    read_at,
    broker,
    transactional_id,
    coordinator,
    state AS coordinator_state,
    last_stable_offset,
    high_watermark,
    timeout_ms / 1000D AS timeout_seconds,
    (
        unix_micros(read_at)
        - unix_micros(
            min(read_at) OVER (PARTITION BY cluster, topic, partition, producer_id, start_offset, last_sequence)
        )
    ) / 1e6D AS idle_seconds,
    CASE
        WHEN in_transaction THEN if(state = 'Ongoing', 'ongoing', 'ending')
        WHEN state IS NOT NULL THEN 'ended'
        WHEN all_asked AND transactional_id IS NULL THEN 'unknown'
    END AS held
FROM raw_open_transactions
