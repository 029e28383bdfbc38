-- Producer ids that a broker knew before it was restarted and knows no more, though another replica still does.
-- in:  restarts, raw_producers, raw_topics
-- out: one row per restart whose replicas were asked before and after; ids are counted per partition. Only ids used
--      within an hour count (older ones may expire), and only replicas that are back in the in-sync set.
WITH before AS (
    SELECT
        r.cluster,
        r.broker,
        r.to_sweep,
        p.topic,
        p.partition,
        p.producer_id
    FROM restarts AS r
    INNER JOIN raw_producers AS p ON r.cluster = p.cluster AND r.broker = p.broker AND r.from_sweep = p.sweep_at
    WHERE p.producer_id IS NOT NULL AND p.last_timestamp_ms > unix_millis(r.to_sweep) - 3600000
),

-- replicas that answered after the restart, in sync
answered AS (
    SELECT DISTINCT
        r.cluster,
        r.broker,
        r.to_sweep,
        p.topic,
        p.partition
    FROM restarts AS r
    INNER JOIN raw_producers AS p ON r.cluster = p.cluster AND r.broker = p.broker AND r.to_sweep = p.sweep_at
    INNER JOIN raw_topics AS t
        ON
            p.cluster = t.cluster
            AND p.sweep_at = t.sweep_at
            AND p.topic = t.topic
            AND p.partition = t.partition
            AND array_contains(t.isr, p.broker)
),

known AS (
    SELECT
        b.cluster,
        b.broker,
        b.to_sweep,
        b.topic,
        b.partition,
        b.producer_id,
        max(p.broker = b.broker) AS is_known_here,
        max(p.broker != b.broker) AS is_known_elsewhere
    FROM before AS b
    INNER JOIN answered AS a
        ON
            b.cluster = a.cluster
            AND b.broker = a.broker
            AND b.to_sweep = a.to_sweep
            AND b.topic = a.topic
            AND b.partition = a.partition
    INNER JOIN raw_producers AS p
        ON
            b.cluster = p.cluster
            AND b.to_sweep = p.sweep_at
            AND b.topic = p.topic
            AND b.partition = p.partition
            AND b.producer_id = p.producer_id
    GROUP BY b.cluster, b.broker, b.to_sweep, b.topic, b.partition, b.producer_id
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
