-- Committed offsets that were not there at the usable sweep before: a group's first commit on a partition, or its first
-- after the earlier one had gone.
-- in:  commit_begins, raw_topics, raw_topic_configs, raw_partitions (on leaders), group_coordinators,
--      partition_births, begin_windows, broker_counters
-- out: one row per group, partition and event that ends on the day. from_sweep: the last sweep at which the group had
--      not begun with the partition (no commit, not assigned); null when it was assigned at every sweep there is.
--      from_log_end_offset: 0 where the partition did not exist then. group_state: at to_sweep. log_bytes: size of
--      the leader's log at to_sweep. compacted: what the log holds between two offsets may be less than records.
--      brokers_counted: some interval of one process ended after before_sweep, up to to_sweep; offset_expirations
--      and offset_deletions are counted in these, null where none has the counter
WITH topics AS (
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
        t.sweep_at,
        coalesce(t.topic_id, '') AS topic_id
    FROM raw_topics AS t
    INNER JOIN topics AS w ON t.cluster = w.cluster AND t.topic = w.topic
),

ends AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        p.sweep_at,
        max(p.log_start_offset) AS log_start_offset,
        max(p.log_end_offset) AS log_end_offset,
        max(p.size_bytes) AS log_bytes
    FROM raw_partitions AS p
    INNER JOIN topics AS w ON p.cluster = w.cluster AND p.topic = w.topic
    WHERE p.replicas_count > 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.topic, p.partition, p.sweep_at
),

policies AS (
    SELECT
        cluster,
        topic,
        max(coalesce(value LIKE '%compact%', FALSE)) AS compacted
    FROM raw_topic_configs
    WHERE name = 'cleanup.policy'
    GROUP BY cluster, topic
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
        try_sum(h.offset_expirations) AS offset_expirations,
        try_sum(h.offset_deletions) AS offset_deletions
    FROM gaps AS g
    INNER JOIN broker_counters AS h
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
    e1.log_start_offset,
    e1.log_end_offset,
    e1.log_bytes,
    p.topic_read_before,
    b.partitions_before,
    b.partition_count AS partitions_of_topic,
    x.traffic_measured,
    x.bytes_out,
    x.bytes_in,
    x.messages_in,
    x.appended,
    o.offset_expirations,
    o.offset_deletions,
    c2.group_state,
    o.cluster IS NOT NULL AS brokers_counted,
    coalesce(k.compacted, FALSE) AS compacted,
    CASE
        WHEN p.from_sweep IS NOT NULL AND t0.topic_id IS NULL THEN 0
        ELSE e0.log_end_offset
    END AS from_log_end_offset,
    b.born > b.topic_born AS partition_added,
    b.topic_born > 1 AND b.topic_born > p.before_number AS topic_created,
    -- members that are not shown (not allowed) might have been reading already
    (NOT c0.listed OR c0.group_state IN ('Empty', 'Dead') OR c0.members > 0) AS begin_known,
    -- a coordinator that was away or loading hides its groups: what comes back then is no first commit
    c1.listed
    OR c1.offsets_partition IS NULL
    OR coalesce(
        c1.coordinator = c2.coordinator AND c2.coordinator_started_at <= c1.sweep_at - INTERVAL 30 SECONDS, FALSE
    ) AS absence_sure,
    (unix_micros(p.sweep_at) - unix_micros(p.from_sweep)) / 1e6D AS seconds,
    coalesce(x.known_records, 0) AS known_records
FROM commit_begins AS p
INNER JOIN shapes AS t
    ON p.cluster = t.cluster AND p.topic = t.topic AND p.partition = t.partition AND p.sweep_at = t.sweep_at
INNER JOIN partition_births AS b
    ON t.cluster = b.cluster AND t.topic = b.topic AND t.topic_id = b.topic_id AND t.partition = b.partition
LEFT JOIN shapes AS t0
    ON
        p.cluster = t0.cluster
        AND p.topic = t0.topic
        AND p.partition = t0.partition
        AND p.from_sweep = t0.sweep_at
        AND t.topic_id = t0.topic_id
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
LEFT JOIN begin_windows AS x
    ON p.cluster = x.cluster AND p.topic = x.topic AND p.from_sweep = x.from_sweep AND p.sweep_at = x.to_sweep
LEFT JOIN policies AS k ON p.cluster = k.cluster AND p.topic = k.topic
LEFT JOIN gone AS o ON p.cluster = o.cluster AND p.before_sweep = o.before_sweep AND p.sweep_at = o.to_sweep
