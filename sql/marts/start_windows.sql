-- What lies between the two sweeps in which a group's beginning on a topic falls: bytes sent and records that came.
-- Traffic is measured where every broker that had a replica at a usable sweep of the window was read without a gap, and
-- the topic's meters on it neither fell nor went.
WITH windows AS (
    SELECT DISTINCT
        cluster,
        topic,
        from_sweep,
        to_sweep
    FROM group_starts
    WHERE from_sweep IS NOT NULL
),

hosts AS (
    SELECT DISTINCT
        w.*,
        explode(t.replicas) AS broker
    FROM windows AS w
    INNER JOIN cluster_sweeps AS u
        ON w.cluster = u.cluster AND u.sweep_at BETWEEN w.from_sweep AND w.to_sweep AND u.usable
    INNER JOIN raw_topics AS t
        ON w.cluster = t.cluster AND w.topic = t.topic AND u.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at
),

-- a broker counts as measured when sound intervals of the topic's meters fill the window; a meter is made at its first
-- event, so one that was never there is 0
measured AS (
    SELECT
        h.*,
        try_sum(x.bytes_out) AS bytes_out,
        try_sum(x.bytes_in) AS bytes_in,
        try_sum(x.messages_in) AS messages_in,
        try_sum(
            if(x.topic IS NOT NULL OR m.topic IS NULL, unix_micros(c.to_sweep) - unix_micros(c.from_sweep), NULL)
        ) AS micros
    FROM hosts AS h
    LEFT JOIN broker_counters AS c
        ON
            h.cluster = c.cluster AND h.broker = c.broker
            AND c.kind = 'sweeps' AND NOT c.ran_back AND h.from_sweep <= c.from_sweep AND h.to_sweep >= c.to_sweep
    LEFT JOIN topic_counters AS x
        ON
            c.cluster = x.cluster AND c.broker = x.broker AND h.topic = x.topic AND c.kind = x.kind
            AND c.to_sweep = x.to_sweep
    LEFT JOIN raw_broker_topics AS m
        ON c.cluster = m.cluster AND c.broker = m.broker AND c.from_sweep = m.sweep_at AND h.topic = m.topic
    GROUP BY ALL
),

-- a partition that was added meanwhile began at 0
ends AS (
    SELECT
        w.cluster,
        w.topic,
        w.from_sweep,
        w.to_sweep,
        max(w.to_sweep <= t.last_sweep_at) AS is_there,
        max(if(p.sweep_at = w.to_sweep, p.log_end_offset, NULL))
        - if(min(t.sweep_at) > w.from_sweep, 0, max(if(p.sweep_at = w.from_sweep, p.log_end_offset, NULL))) AS appended
    FROM windows AS w
    INNER JOIN raw_topics AS t
        ON
            w.cluster = t.cluster AND w.topic = t.topic
            AND (
                w.from_sweep BETWEEN t.sweep_at AND t.last_sweep_at OR w.to_sweep BETWEEN t.sweep_at AND t.last_sweep_at
            )
    LEFT JOIN raw_partitions AS p
        ON
            t.cluster = p.cluster AND t.topic = p.topic AND t.partition = p.partition
            AND p.sweep_at IN (w.from_sweep, w.to_sweep) AND p.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at
            AND p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY w.cluster, w.topic, w.from_sweep, w.to_sweep, t.partition, coalesce(t.topic_id, '')
),

grown AS (
    SELECT
        cluster,
        topic,
        from_sweep,
        to_sweep,
        CASE WHEN count(appended) = count(*) THEN try_sum(appended) END AS appended
    FROM ends
    WHERE is_there
    GROUP BY cluster, topic, from_sweep, to_sweep
),

policies AS (
    SELECT
        cluster,
        topic,
        max(coalesce(value LIKE '%compact%', FALSE)) AS compacted
    FROM raw_topic_configs
    WHERE name = 'cleanup.policy'
    GROUP BY cluster, topic
)

SELECT
    m.cluster,
    m.topic,
    m.from_sweep,
    m.to_sweep,
    max(g.appended) AS appended,
    coalesce(max(p.compacted), FALSE) AS compacted,
    min(coalesce(m.micros, 0) = unix_micros(m.to_sweep) - unix_micros(m.from_sweep)) AS traffic_measured,
    try_sum(m.bytes_out) AS bytes_out,
    try_sum(m.bytes_in) AS bytes_in,
    try_sum(m.messages_in) AS messages_in
FROM measured AS m
LEFT JOIN policies AS p ON m.cluster = p.cluster AND m.topic = p.topic
LEFT JOIN grown AS g
    ON m.cluster = g.cluster AND m.topic = g.topic AND m.from_sweep = g.from_sweep AND m.to_sweep = g.to_sweep
GROUP BY m.cluster, m.topic, m.from_sweep, m.to_sweep
