-- Log ends of leaders that were lower than a leader's at the sweep before, over changes of the leader too.
-- in:  moved_ends, moved_leaders, partition_rates (a leader that stayed)
-- out: one row per partition and step that ends on the day
SELECT
    cluster,
    topic,
    partition,
    from_sweep,
    to_sweep,
    from_broker,
    broker,
    from_log_end_offset,
    log_end_offset
FROM moved_ends
WHERE log_end_offset < from_log_end_offset
UNION ALL
SELECT
    r.cluster,
    r.topic,
    r.partition,
    r.from_sweep,
    r.to_sweep,
    r.broker AS from_broker,
    r.broker,
    r.from_log_end_offset,
    r.log_end_offset
FROM partition_rates AS r
LEFT ANTI JOIN moved_leaders AS m ON r.cluster = m.cluster AND r.topic = m.topic AND r.partition = m.partition
WHERE r.went_back AND r.log_end_offset < r.from_log_end_offset
