-- Partition batches of a topic that a broker could not append, per interval. Brokers do not count here what a client
-- mends by asking for the leader, or brings on itself by too large a record; NOT_ENOUGH_REPLICAS they do.
-- in:  error_spans, raw_broker_topics
-- out: one row per broker, topic and interval with such batches
SELECT
    s.cluster,
    s.broker,
    s.to_sweep,
    t.topic,
    t.failed_produce - coalesce(f.failed_produce, 0) AS failed_batches
FROM broker_counters AS s
INNER JOIN raw_broker_topics AS t ON s.cluster = t.cluster AND s.broker = t.broker AND s.to_sweep = t.sweep_at
LEFT JOIN raw_broker_topics AS f
    ON s.cluster = f.cluster AND s.broker = f.broker AND s.from_sweep = f.sweep_at AND t.topic = f.topic
WHERE s.errors_known AND t.failed_produce - coalesce(f.failed_produce, 0) > 0
