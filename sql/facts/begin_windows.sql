-- What lies between the two sweeps in which a group's beginning on a topic falls: bytes, records, known reads.
-- in:  commit_begins, raw_topics, raw_broker_topics, group_coordinators (its sweeps are usable), counters,
--      topic_traffic, group_progress
-- out: one row per topic and window. traffic_measured: every broker that had a replica at a usable sweep of the window
--      was read without a gap, and the topic's meters on it neither fell nor went; known_records: what all groups are
--      known to have read, from two commits each
WITH windows AS (
    SELECT DISTINCT
        cluster,
        topic,
        from_sweep,
        sweep_at AS to_sweep
    FROM commit_begins
    WHERE from_sweep IS NOT NULL
),

sweeps AS (
    SELECT DISTINCT
        cluster,
        sweep_at
    FROM group_coordinators
),

replicas AS (
    SELECT
        t.cluster,
        t.topic,
        t.sweep_at,
        explode(t.replicas) AS broker
    FROM raw_topics AS t
    INNER JOIN sweeps AS s ON t.cluster = s.cluster AND t.sweep_at = s.sweep_at
),

hosts AS (
    SELECT DISTINCT
        w.cluster,
        w.topic,
        w.from_sweep,
        w.to_sweep,
        r.broker
    FROM windows AS w
    INNER JOIN replicas AS r
        ON w.cluster = r.cluster AND w.topic = r.topic AND r.sweep_at BETWEEN w.from_sweep AND w.to_sweep
),

-- sound intervals of the topic's meters: a meter is made at its first event, so one that was never there is 0
metered AS (
    SELECT
        h.cluster,
        h.topic,
        h.from_sweep,
        h.to_sweep,
        h.broker,
        x.bytes_out,
        x.bytes_in,
        x.messages_in,
        unix_micros(c.to_sweep) - unix_micros(c.from_sweep) AS micros
    FROM hosts AS h
    INNER JOIN counters AS c
        ON
            h.cluster = c.cluster
            AND h.broker = c.broker
            AND c.kind = 'sweeps'
            AND NOT c.ran_back
            AND h.from_sweep <= c.from_sweep
            AND h.to_sweep >= c.to_sweep
    LEFT JOIN topic_traffic AS x
        ON
            c.cluster = x.cluster
            AND c.broker = x.broker
            AND h.topic = x.topic
            AND c.kind = x.kind
            AND c.to_sweep = x.to_sweep
    LEFT JOIN raw_broker_topics AS m
        ON c.cluster = m.cluster AND c.broker = m.broker AND c.from_sweep = m.sweep_at AND h.topic = m.topic
    WHERE x.topic IS NOT NULL OR m.topic IS NULL
),

-- a broker counts as measured over the window when its sound intervals fill it
measured AS (
    SELECT
        h.cluster,
        h.topic,
        h.from_sweep,
        h.to_sweep,
        h.broker,
        coalesce(try_sum(m.micros), 0) = max(unix_micros(h.to_sweep) - unix_micros(h.from_sweep)) AS whole,
        try_sum(m.bytes_out) AS bytes_out,
        try_sum(m.bytes_in) AS bytes_in,
        try_sum(m.messages_in) AS messages_in
    FROM hosts AS h
    LEFT JOIN metered AS m
        ON
            h.cluster = m.cluster
            AND h.topic = m.topic
            AND h.from_sweep = m.from_sweep
            AND h.to_sweep = m.to_sweep
            AND h.broker = m.broker
    GROUP BY h.cluster, h.topic, h.from_sweep, h.to_sweep, h.broker
),

traffic AS (
    SELECT
        cluster,
        topic,
        from_sweep,
        to_sweep,
        min(whole) AS traffic_measured,
        try_sum(bytes_out) AS bytes_out,
        try_sum(bytes_in) AS bytes_in,
        try_sum(messages_in) AS messages_in
    FROM measured
    GROUP BY cluster, topic, from_sweep, to_sweep
),

known AS (
    SELECT
        w.cluster,
        w.topic,
        w.from_sweep,
        w.to_sweep,
        try_sum(p.records) AS records
    FROM windows AS w
    INNER JOIN group_progress AS p
        ON
            w.cluster = p.cluster
            AND w.topic = p.topic
            AND p.records > 0
            AND w.from_sweep <= p.from_sweep
            AND w.to_sweep >= p.to_sweep
    GROUP BY w.cluster, w.topic, w.from_sweep, w.to_sweep
)

SELECT
    w.cluster,
    w.topic,
    w.from_sweep,
    w.to_sweep,
    t.traffic_measured,
    t.bytes_out,
    t.bytes_in,
    t.messages_in,
    coalesce(k.records, 0) AS known_records
FROM windows AS w
LEFT JOIN traffic AS t
    ON w.cluster = t.cluster AND w.topic = t.topic AND w.from_sweep = t.from_sweep AND w.to_sweep = t.to_sweep
LEFT JOIN known AS k
    ON w.cluster = k.cluster AND w.topic = k.topic AND w.from_sweep = k.from_sweep AND w.to_sweep = k.to_sweep
