-- Committed offsets that were not there at the usable sweep before: a group's first commit on a partition, or its first
-- after the earlier one had gone.
-- in:  commit_begins, raw_topics, raw_partitions (on leaders), group_coordinators, group_progress, counters,
--      topic_traffic, coordinator_health
-- out: one row per group, partition and event that ends on the day. from_sweep: the last sweep at which the group had
--      not begun with the partition (no commit, not assigned); null when it was assigned at every sweep there is.
--      group_state: at to_sweep.
WITH sweeps AS (
    SELECT DISTINCT
        cluster,
        sweep_at,
        sweep_number
    FROM group_coordinators
),

topics AS (
    SELECT DISTINCT
        cluster,
        topic
    FROM commit_begins
),

shapes AS (
    SELECT
        t.cluster,
        t.topic,
        t.partition,
        t.replicas,
        s.sweep_at,
        s.sweep_number,
        coalesce(t.topic_id, '') AS topic_id
    FROM raw_topics AS t
    INNER JOIN topics AS w ON t.cluster = w.cluster AND t.topic = w.topic
    INNER JOIN sweeps AS s ON t.cluster = s.cluster AND t.sweep_at = s.sweep_at
),

partition_births AS (
    SELECT
        cluster,
        topic,
        topic_id,
        partition,
        min(sweep_number) AS born
    FROM shapes
    GROUP BY cluster, topic, topic_id, partition
),

births AS (
    SELECT
        *,
        min(born) OVER (PARTITION BY cluster, topic, topic_id) AS topic_born,
        count(*) OVER (PARTITION BY cluster, topic, topic_id) AS partition_count
    FROM partition_births
),

grown AS (
    SELECT
        *,
        sum(CASE WHEN born = topic_born THEN 1 ELSE 0 END) OVER (PARTITION BY cluster, topic, topic_id)
            AS partitions_before
    FROM births
),

ends AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        p.sweep_at,
        max(p.log_start_offset) AS log_start_offset,
        max(p.log_end_offset) AS log_end_offset
    FROM raw_partitions AS p
    INNER JOIN topics AS w ON p.cluster = w.cluster AND p.topic = w.topic
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.topic, p.partition, p.sweep_at
),

windows AS (
    SELECT DISTINCT
        cluster,
        topic,
        from_sweep,
        sweep_at AS to_sweep
    FROM commit_begins
    WHERE from_sweep IS NOT NULL
),

replicas AS (
    SELECT
        cluster,
        topic,
        sweep_at,
        explode(replicas) AS broker
    FROM shapes
),

hosts AS (
    SELECT DISTINCT
        w.cluster,
        w.topic,
        w.from_sweep,
        w.to_sweep,
        r.broker
    FROM windows AS w
    INNER JOIN replicas AS r ON w.cluster = r.cluster AND w.topic = r.topic AND w.to_sweep = r.sweep_at
),

-- a broker counts as measured over the window when its sound intervals fill it
measured AS (
    SELECT
        h.cluster,
        h.topic,
        h.from_sweep,
        h.to_sweep,
        h.broker,
        coalesce(sum(unix_micros(c.to_sweep) - unix_micros(c.from_sweep)), 0)
        = max(unix_micros(h.to_sweep) - unix_micros(h.from_sweep)) AS whole
    FROM hosts AS h
    LEFT JOIN counters AS c
        ON
            h.cluster = c.cluster
            AND h.broker = c.broker
            AND c.kind = 'sweeps'
            AND NOT c.ran_back
            AND h.from_sweep <= c.from_sweep
            AND h.to_sweep >= c.to_sweep
    GROUP BY h.cluster, h.topic, h.from_sweep, h.to_sweep, h.broker
),

coverage AS (
    SELECT
        cluster,
        topic,
        from_sweep,
        to_sweep,
        min(whole) AS traffic_measured
    FROM measured
    GROUP BY cluster, topic, from_sweep, to_sweep
),

traffic AS (
    SELECT
        w.cluster,
        w.topic,
        w.from_sweep,
        w.to_sweep,
        sum(x.bytes_out) AS bytes_out,
        sum(x.bytes_in) AS bytes_in,
        sum(x.messages_in) AS messages_in
    FROM windows AS w
    INNER JOIN topic_traffic AS x
        ON
            w.cluster = x.cluster
            AND w.topic = x.topic
            AND x.kind = 'sweeps'
            AND w.from_sweep <= x.from_sweep
            AND w.to_sweep >= x.to_sweep
    GROUP BY w.cluster, w.topic, w.from_sweep, w.to_sweep
),

-- what all groups are known to have read of the topic meanwhile, from two commits each
known AS (
    SELECT
        w.cluster,
        w.topic,
        w.from_sweep,
        w.to_sweep,
        sum(p.records) AS records
    FROM windows AS w
    INNER JOIN group_progress AS p
        ON
            w.cluster = p.cluster
            AND w.topic = p.topic
            AND p.records > 0
            AND w.from_sweep <= p.from_sweep
            AND w.to_sweep >= p.to_sweep
    GROUP BY w.cluster, w.topic, w.from_sweep, w.to_sweep
),

gaps AS (
    SELECT DISTINCT
        cluster,
        before_sweep,
        sweep_at AS to_sweep
    FROM commit_begins
    WHERE before_sweep IS NOT NULL
),

gone AS (
    SELECT
        g.cluster,
        g.before_sweep,
        g.to_sweep,
        sum(h.offset_expirations) AS offset_expirations,
        sum(h.offset_deletions) AS offset_deletions
    FROM gaps AS g
    INNER JOIN coordinator_health AS h
        ON g.cluster = h.cluster AND g.before_sweep < h.to_sweep AND g.to_sweep >= h.to_sweep
    GROUP BY g.cluster, g.before_sweep, g.to_sweep
)

SELECT
    p.cluster,
    p.group_id,
    p.topic,
    p.partition,
    p.kind,
    p.before_sweep,
    p.from_sweep,
    p.sweep_at AS to_sweep,
    p.read_at,
    p.previous_offset,
    p.committed_offset,
    e0.log_end_offset AS from_log_end_offset,
    e1.log_start_offset,
    e1.log_end_offset,
    p.topic_read_before,
    b.partitions_before,
    b.partition_count AS partitions_of_topic,
    v.traffic_measured,
    x.bytes_out,
    x.bytes_in,
    x.messages_in,
    o.offset_expirations,
    o.offset_deletions,
    c2.group_state,
    b.born > b.topic_born AS partition_added,
    b.topic_born > 1 AND b.topic_born > p.before_number AS topic_created,
    -- members that are not shown (new protocol, not allowed) might have been reading already
    (NOT c0.listed OR c0.group_state IN ('Empty', 'Dead') OR c0.members > 0) AS begin_known,
    -- a coordinator that was away or loading hides its groups: what comes back then is no first commit
    c1.listed
    OR c1.offsets_partition IS NULL
    OR (
        c1.coordinator = c2.coordinator
        AND coalesce(c2.coordinator_started_at < c1.sweep_at - INTERVAL 30 SECONDS, TRUE)
    ) AS absence_sure,
    (unix_micros(p.sweep_at) - unix_micros(p.from_sweep)) / 1e6D AS seconds,
    coalesce(k.records, 0) AS known_records
FROM commit_begins AS p
INNER JOIN shapes AS t
    ON p.cluster = t.cluster AND p.topic = t.topic AND p.partition = t.partition AND p.sweep_at = t.sweep_at
INNER JOIN grown AS b
    ON t.cluster = b.cluster AND t.topic = b.topic AND t.topic_id = b.topic_id AND t.partition = b.partition
LEFT JOIN ends AS e0
    ON p.cluster = e0.cluster AND p.topic = e0.topic AND p.partition = e0.partition AND p.from_sweep = e0.sweep_at
LEFT JOIN ends AS e1
    ON p.cluster = e1.cluster AND p.topic = e1.topic AND p.partition = e1.partition AND p.sweep_at = e1.sweep_at
LEFT JOIN group_coordinators AS c0
    ON p.cluster = c0.cluster AND p.group_id = c0.group_id AND p.from_sweep = c0.sweep_at
LEFT JOIN group_coordinators AS c1
    ON p.cluster = c1.cluster AND p.group_id = c1.group_id AND p.sweep_number - 1 = c1.sweep_number
LEFT JOIN group_coordinators AS c2
    ON p.cluster = c2.cluster AND p.group_id = c2.group_id AND p.sweep_number = c2.sweep_number
LEFT JOIN coverage AS v
    ON p.cluster = v.cluster AND p.topic = v.topic AND p.from_sweep = v.from_sweep AND p.sweep_at = v.to_sweep
LEFT JOIN traffic AS x
    ON p.cluster = x.cluster AND p.topic = x.topic AND p.from_sweep = x.from_sweep AND p.sweep_at = x.to_sweep
LEFT JOIN known AS k
    ON p.cluster = k.cluster AND p.topic = k.topic AND p.from_sweep = k.from_sweep AND p.sweep_at = k.to_sweep
LEFT JOIN gone AS o ON p.cluster = o.cluster AND p.before_sweep = o.before_sweep AND p.sweep_at = o.to_sweep
