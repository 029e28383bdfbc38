-- Producer ids that a broker knew before it was restarted and knows no more, though its log has records of theirs.
-- in:  restarts, asked_logs, raw_producers, raw_topics, raw_broker_configs
-- out: one row per restart whose replicas were asked before and after; ids are counted per partition. Only ids used
--      within an hour count (older ones may expire), whose last record the log still has (others were held in memory
--      alone), and only replicas that are back in the in-sync set.
WITH before AS (
    SELECT
        r.cluster,
        r.broker,
        r.to_sweep,
        p.topic,
        p.partition,
        p.producer_id,
        p.producer_epoch,
        p.last_sequence
    FROM restarts AS r
    INNER JOIN raw_producers AS p ON r.cluster = p.cluster AND r.broker = p.broker AND r.from_sweep = p.sweep_at
    -- a setting below that hour makes a broker forget, at its start, what others still hold
    LEFT ANTI JOIN raw_broker_configs AS c
        ON
            r.cluster = c.cluster
            AND c.name = 'transactional.id.expiration.ms'
            AND coalesce(try_cast(c.value AS BIGINT), 0) < 3600000
    WHERE p.producer_id IS NOT NULL AND p.last_timestamp_ms > unix_millis(r.to_sweep) - 3600000
),

-- the lowest offset that an id's last record can have: it wrote after a sweep at which the broker named it otherwise,
-- or not at all
written AS (
    SELECT
        b.cluster,
        b.broker,
        b.to_sweep,
        b.topic,
        b.partition,
        b.producer_id,
        max(l.end_before) AS least_offset
    FROM before AS b
    INNER JOIN asked_logs AS l
        ON
            b.cluster = l.cluster
            AND b.broker = l.broker
            AND b.to_sweep = l.to_sweep
            AND b.topic = l.topic
            AND b.partition = l.partition
            AND l.sweep_at < l.from_sweep
            AND l.end_before IS NOT NULL
    LEFT ANTI JOIN raw_producers AS p
        ON
            l.cluster = p.cluster
            AND l.broker = p.broker
            AND l.sweep_at = p.sweep_at
            AND l.topic = p.topic
            AND l.partition = p.partition
            AND b.producer_id = p.producer_id
            AND coalesce(b.producer_epoch = p.producer_epoch AND b.last_sequence = p.last_sequence, TRUE)
    GROUP BY b.cluster, b.broker, b.to_sweep, b.topic, b.partition, b.producer_id
),

-- ids whose last record is in the log after the restart, of replicas that answered then and are in sync
known AS (
    SELECT
        w.cluster,
        w.broker,
        w.to_sweep,
        w.topic,
        w.partition,
        w.producer_id,
        max(p.broker = w.broker) AS is_known_here,
        max(p.broker != w.broker) AS is_known_elsewhere
    FROM written AS w
    INNER JOIN asked_logs AS l
        ON
            w.cluster = l.cluster
            AND w.broker = l.broker
            AND w.to_sweep = l.to_sweep
            AND l.sweep_at = l.to_sweep
            AND w.topic = l.topic
            AND w.partition = l.partition
            AND w.least_offset BETWEEN l.log_start_offset AND l.log_end_offset - 1
    INNER JOIN raw_topics AS t
        ON
            w.cluster = t.cluster
            AND w.to_sweep = t.sweep_at
            AND w.topic = t.topic
            AND w.partition = t.partition
            AND array_contains(t.isr, w.broker)
    INNER JOIN raw_producers AS p
        ON
            w.cluster = p.cluster
            AND w.to_sweep = p.sweep_at
            AND w.topic = p.topic
            AND w.partition = p.partition
            AND w.producer_id = p.producer_id
    GROUP BY w.cluster, w.broker, w.to_sweep, w.topic, w.partition, w.producer_id
)

SELECT
    cluster,
    broker,
    to_sweep,
    count(*) AS known_ids,
    count_if(is_known_elsewhere AND NOT is_known_here) AS lost_ids,
    sort_array(
        collect_set(CASE WHEN is_known_elsewhere AND NOT is_known_here THEN topic END)
    ) AS topics
FROM known
GROUP BY cluster, broker, to_sweep
