-- Producer ids that a broker knew before it was restarted and knows no more, though its log has records of theirs. Only
-- ids used within an hour count (older ones may expire), whose last record the log still has (others were held in
-- memory alone), and only replicas that are back in the in-sync set. end_before: the log end that the agent had told
-- before the broker was asked for ids, so that what an id wrote later lies there or above: of the same sweep, or of the
-- one before that. least_offset: the lowest that an id's last record can have: it wrote after a sweep at which the
-- broker named it otherwise, or not at all.
WITH logs AS (
    SELECT
        r.cluster,
        r.broker,
        r.from_sweep,
        r.to_sweep,
        a.sweep_at,
        a.topic,
        a.partition,
        max(p.log_start_offset) AS log_start_offset,
        min(p.log_end_offset) AS log_end_offset,
        CASE
            -- a log is read in the middle of the agent's request
            WHEN (unix_micros(min(a.read_at)) - unix_micros(min(p.read_at))) / 1e6D > max(b.seconds)
                THEN min(p.log_end_offset)
            ELSE lag(min(p.log_end_offset)) OVER (
                PARTITION BY r.cluster, r.broker, r.to_sweep, a.topic, a.partition ORDER BY a.sweep_at
            )
        END AS end_before
    FROM restarts AS r
    -- the logs of other brokers need not be moved about
    INNER JOIN raw_partitions AS p ON r.cluster = p.cluster AND r.broker = p.broker AND r.to_sweep >= p.sweep_at
    INNER JOIN raw_producers AS a
        ON
            p.cluster = a.cluster AND p.broker = a.broker AND p.sweep_at = a.sweep_at AND p.topic = a.topic
            AND p.partition = a.partition
    INNER JOIN raw_brokers AS b ON a.cluster = b.cluster AND a.broker = b.broker AND a.sweep_at = b.sweep_at
    WHERE p.log_start_offset >= 0 AND p.log_end_offset >= 0
    GROUP BY r.cluster, r.broker, r.from_sweep, r.to_sweep, a.sweep_at, a.topic, a.partition
),

written AS (
    SELECT
        l.cluster,
        l.broker,
        l.to_sweep,
        l.topic,
        l.partition,
        p.producer_id,
        max(CASE WHEN l.sweep_at < l.from_sweep AND s.producer_id IS NULL THEN l.end_before END) AS least_offset,
        max(CASE WHEN l.sweep_at = l.to_sweep THEN l.log_start_offset END) AS log_start_offset,
        max(CASE WHEN l.sweep_at = l.to_sweep THEN l.log_end_offset END) AS log_end_offset
    FROM logs AS l
    INNER JOIN raw_producers AS p
        ON
            l.cluster = p.cluster AND l.broker = p.broker AND l.from_sweep = p.sweep_at AND l.topic = p.topic
            AND l.partition = p.partition
            AND p.last_timestamp_ms > unix_millis(l.to_sweep) - 3600000
    LEFT JOIN raw_producers AS s
        ON
            l.cluster = s.cluster AND l.broker = s.broker AND l.sweep_at = s.sweep_at AND l.topic = s.topic
            AND l.partition = s.partition AND p.producer_id = s.producer_id
            AND coalesce(p.producer_epoch = s.producer_epoch AND p.last_sequence = s.last_sequence, TRUE)
    -- a setting below that hour makes a broker forget, at its start, what others still hold
    LEFT ANTI JOIN raw_broker_configs AS c
        ON
            l.cluster = c.cluster
            AND c.name = 'transactional.id.expiration.ms' AND coalesce(try_cast(c.value AS BIGINT), 0) < 3600000
    WHERE p.producer_id IS NOT NULL
    GROUP BY l.cluster, l.broker, l.to_sweep, l.topic, l.partition, p.producer_id
),

-- ids whose last record is in the log after the restart, of replicas that answered then and are in sync
known AS (
    SELECT
        w.cluster,
        w.broker,
        w.to_sweep,
        w.topic,
        max(p.broker != w.broker) AND NOT max(p.broker = w.broker) AS is_lost
    FROM written AS w
    INNER JOIN raw_topics AS t
        ON
            w.cluster = t.cluster AND w.topic = t.topic AND w.partition = t.partition
            AND w.to_sweep BETWEEN t.sweep_at AND t.last_sweep_at
    INNER JOIN raw_producers AS p
        ON
            w.cluster = p.cluster AND w.to_sweep = p.sweep_at AND w.topic = p.topic AND w.partition = p.partition
            AND w.producer_id = p.producer_id
    WHERE w.least_offset BETWEEN w.log_start_offset AND w.log_end_offset - 1 AND array_contains(t.isr, w.broker)
    GROUP BY w.cluster, w.broker, w.to_sweep, w.topic, w.partition, w.producer_id
)

SELECT
    cluster,
    broker,
    to_sweep,
    count(*) AS known_ids,
    count_if(is_lost) AS lost_ids,
    sort_array(collect_set(CASE WHEN is_lost THEN topic END)) AS topics
FROM known
GROUP BY cluster, broker, to_sweep
