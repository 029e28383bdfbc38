-- What a broker's per-topic counters did in each interval, and whether the broker leads a partition of the topic.
-- in:  counters (its intervals are sound), raw_broker_topics, led_topics
-- out: one row per broker, topic and interval; counts. bytes_out counts bytes sent to consumers alone.
WITH deltas AS (
    SELECT
        c.cluster,
        c.broker,
        t.topic,
        c.kind,
        c.from_sweep,
        c.to_sweep,
        c.from_at,
        c.to_at,
        c.seconds,
        -- a per-topic meter is made at its first event: absent at the start of the interval is 0
        coalesce(t.messages_in, 0) - coalesce(f.messages_in, 0) AS messages_in,
        coalesce(t.bytes_in, 0) - coalesce(f.bytes_in, 0) AS bytes_in,
        coalesce(t.bytes_out, 0) - coalesce(f.bytes_out, 0) AS bytes_out,
        coalesce(t.produce_batches, 0) - coalesce(f.produce_batches, 0) AS produce_batches,
        coalesce(t.fetch_reads, 0) - coalesce(f.fetch_reads, 0) AS fetch_reads
    FROM broker_counters AS c
    INNER JOIN raw_broker_topics AS t ON c.cluster = t.cluster AND c.broker = t.broker AND c.to_sweep = t.sweep_at
    LEFT JOIN raw_broker_topics AS f
        ON c.cluster = f.cluster AND c.broker = f.broker AND c.from_sweep = f.sweep_at AND t.topic = f.topic
    WHERE NOT c.ran_back
)

SELECT
    d.*,
    greatest(coalesce(l1.leaders, 0), coalesce(l0.leaders, 0)) AS leaders,
    greatest(coalesce(l1.replicas, 0), coalesce(l0.replicas, 0)) AS replicas
FROM deltas AS d
LEFT JOIN led_topics AS l1
    ON d.cluster = l1.cluster AND d.broker = l1.broker AND d.to_sweep = l1.sweep_at AND d.topic = l1.topic
LEFT JOIN led_topics AS l0
    ON d.cluster = l0.cluster AND d.broker = l0.broker AND d.from_sweep = l0.sweep_at AND d.topic = l0.topic
WHERE d.messages_in >= 0 AND d.bytes_in >= 0 AND d.bytes_out >= 0 AND d.produce_batches >= 0 AND d.fetch_reads >= 0
