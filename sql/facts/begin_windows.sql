-- What lies between the two sweeps in which a group's beginning on a topic falls: bytes, records, known reads.
-- in:  commit_begins, raw_topics, raw_partitions (on leaders), raw_broker_topics, group_coordinators (its sweeps are
--      usable), broker_counters, topic_counters, group_progress
-- out: one row per topic and window. traffic_measured: every broker that had a replica at a usable sweep of the window
--      was read without a gap, and the topic's meters on it neither fell nor went. appended: offsets by which the logs
--      grew, markers of transactions included; null unless every leader was read at both sweeps. known_records: what
--      all groups are known to have read, from two commits each; offsets of groups without members were set by others
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
    INNER JOIN broker_counters AS c
        ON
            h.cluster = c.cluster
            AND h.broker = c.broker
            AND c.kind = 'sweeps'
            AND NOT c.ran_back
            AND h.from_sweep <= c.from_sweep
            AND h.to_sweep >= c.to_sweep
    LEFT JOIN topic_counters AS x
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

ends AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        p.sweep_at,
        max(p.log_end_offset) AS log_end_offset
    FROM raw_partitions AS p
    LEFT SEMI JOIN windows AS w ON p.cluster = w.cluster AND p.topic = w.topic
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.topic, p.partition, p.sweep_at
),

-- a partition that was added meanwhile began at 0
grown AS (
    SELECT
        w.cluster,
        w.topic,
        w.from_sweep,
        w.to_sweep,
        count(*) AS partition_count,
        count(e1.log_end_offset - CASE WHEN t0.topic IS NULL THEN 0 ELSE e0.log_end_offset END) AS partitions_known,
        try_sum(e1.log_end_offset - CASE WHEN t0.topic IS NULL THEN 0 ELSE e0.log_end_offset END) AS appended
    FROM windows AS w
    INNER JOIN raw_topics AS t1 ON w.cluster = t1.cluster AND w.topic = t1.topic AND w.to_sweep = t1.sweep_at
    LEFT JOIN raw_topics AS t0
        ON
            t1.cluster = t0.cluster
            AND t1.topic = t0.topic
            AND t1.partition = t0.partition
            AND w.from_sweep = t0.sweep_at
            AND coalesce(t1.topic_id, '') = coalesce(t0.topic_id, '')
    LEFT JOIN ends AS e1
        ON
            t1.cluster = e1.cluster
            AND t1.topic = e1.topic
            AND t1.partition = e1.partition
            AND w.to_sweep = e1.sweep_at
    LEFT JOIN ends AS e0
        ON
            t1.cluster = e0.cluster
            AND t1.topic = e0.topic
            AND t1.partition = e0.partition
            AND w.from_sweep = e0.sweep_at
    GROUP BY w.cluster, w.topic, w.from_sweep, w.to_sweep
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
    LEFT JOIN group_coordinators AS c0
        ON p.cluster = c0.cluster AND p.group_id = c0.group_id AND p.from_sweep = c0.sweep_at
    LEFT JOIN group_coordinators AS c1
        ON p.cluster = c1.cluster AND p.group_id = c1.group_id AND p.to_sweep = c1.sweep_at
    WHERE
        NOT coalesce(c0.group_state IN ('Empty', 'Dead'), FALSE)
        OR NOT coalesce(c1.group_state IN ('Empty', 'Dead'), FALSE)
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
    CASE WHEN g.partitions_known = g.partition_count THEN g.appended END AS appended,
    coalesce(k.records, 0) AS known_records
FROM windows AS w
LEFT JOIN grown AS g
    ON w.cluster = g.cluster AND w.topic = g.topic AND w.from_sweep = g.from_sweep AND w.to_sweep = g.to_sweep
LEFT JOIN traffic AS t
    ON w.cluster = t.cluster AND w.topic = t.topic AND w.from_sweep = t.from_sweep AND w.to_sweep = t.to_sweep
LEFT JOIN known AS k
    ON w.cluster = k.cluster AND w.topic = k.topic AND w.from_sweep = k.from_sweep AND w.to_sweep = k.to_sweep
