-- Since when nobody has written to each topic, by its log ends at the last sweeps of earlier days, and who reads it.
-- in:  raw_partitions, raw_earlier_partitions, raw_group_assignments, commit_ages, topic_counters, cluster_days
-- out: one row per topic whose leaders were read at the day's last sweep, of clusters of which there are earlier days.
--      A log end goes nowhere but on, so that it was the same all the while between two moments that show the same
WITH looked AS (
    SELECT
        cluster,
        count(DISTINCT to_date(sweep_at)) AS looked_days,
        min(sweep_at) AS looked_since
    FROM raw_earlier_partitions
    GROUP BY cluster
),

before AS (
    SELECT
        cluster,
        topic,
        partition,
        log_end_offset,
        min(sweep_at) AS since
    FROM raw_earlier_partitions
    WHERE replicas_count > 0 AND log_end_offset >= 0
    GROUP BY cluster, topic, partition, log_end_offset
),

logs AS (
    SELECT
        p.cluster,
        p.topic,
        p.partition,
        max(p.sweep_at) AS to_at,
        max(if(p.replicas_count > 0, p.log_end_offset, NULL)) AS log_end_offset,
        max(if(p.replicas_count > 0, p.log_end_offset - p.log_start_offset, NULL)) AS records,
        try_sum(p.size_bytes) AS bytes
    FROM raw_partitions AS p
    INNER JOIN cluster_days AS c ON p.cluster = c.cluster AND p.sweep_at = c.last_sweep
    LEFT SEMI JOIN raw_earlier_partitions AS e ON p.cluster = e.cluster
    GROUP BY p.cluster, p.topic, p.partition
    HAVING max(if(p.replicas_count > 0, p.log_end_offset, NULL)) >= 0
),

topics AS (
    SELECT
        l.cluster,
        l.topic,
        max(l.to_at) AS to_at,
        count(*) AS partition_count,
        try_sum(l.records) AS records,
        try_sum(l.bytes) AS bytes,
        if(count(b.since) = count(*), max(b.since), NULL) AS unwritten_since
    FROM logs AS l
    LEFT JOIN before AS b
        ON
            l.cluster = b.cluster
            AND l.topic = b.topic
            AND l.partition = b.partition
            AND l.log_end_offset = b.log_end_offset
    GROUP BY l.cluster, l.topic
),

readers AS (
    SELECT
        cluster,
        topic,
        count(*) AS group_count,
        if(count(unmoved_since) = count(*), max(unmoved_since), NULL) AS unread_since
    FROM commit_ages
    GROUP BY cluster, topic
),

assigned AS (
    SELECT DISTINCT
        cluster,
        topic
    FROM raw_group_assignments
),

fetched AS (
    SELECT DISTINCT
        cluster,
        topic
    FROM topic_counters
    WHERE bytes_out > 0
)

SELECT
    t.*,
    k.looked_days,
    k.looked_since,
    r.unread_since,
    coalesce(r.group_count, 0) AS group_count,
    a.topic IS NOT NULL OR f.topic IS NOT NULL AS is_read
FROM topics AS t
INNER JOIN looked AS k ON t.cluster = k.cluster
LEFT JOIN readers AS r ON t.cluster = r.cluster AND t.topic = r.topic
LEFT JOIN assigned AS a ON t.cluster = a.cluster AND t.topic = a.topic
LEFT JOIN fetched AS f ON t.cluster = f.cluster AND t.topic = f.topic
