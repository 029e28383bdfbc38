-- How the logs of each topic grew on each broker from its last read before the day, or its first in it, to its last.
-- in:  raw_partitions, raw_brokers, raw_broker_metrics, topic_days, topic_shapes, broker_settings, disk_points: of
--      brokers that tell of their disks
-- out: one row per broker and topic. What arrived is what was new to the leader; what else a replica wrote is moved: it
--      caught up. A record has the mean size of those that its log keeps
WITH moments AS (
    SELECT
        b.cluster,
        b.broker,
        min(b.sweep_at) AS from_sweep,
        max(b.sweep_at) AS to_sweep,
        -- a new broker has nothing to be read
        if(min_by(m.partition_count, b.sweep_at) = 0, min(b.read_at), NULL) AS empty_at
    FROM raw_brokers AS b
    LEFT SEMI JOIN disk_points AS d ON b.cluster = d.cluster AND b.broker = d.broker
    LEFT JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    WHERE b.read_at IS NOT NULL
    GROUP BY b.cluster, b.broker
    HAVING min(b.sweep_at) < max(b.sweep_at) AND to_date(max(b.sweep_at)) = :ds
),

replicas AS (
    SELECT
        p.cluster,
        p.broker,
        p.topic,
        p.partition,
        max(if(p.sweep_at = e.from_sweep, p.read_at, NULL)) AS from_at,
        max(if(p.sweep_at = e.from_sweep, p.size_bytes, NULL)) AS from_bytes,
        max(if(p.sweep_at = e.from_sweep, p.log_start_offset, NULL)) AS from_start,
        max(if(p.sweep_at = e.from_sweep, p.log_end_offset, NULL)) AS from_end,
        max(if(p.sweep_at = e.to_sweep, p.read_at, NULL)) AS to_at,
        max(if(p.sweep_at = e.to_sweep, p.size_bytes, NULL)) AS bytes,
        max(if(p.sweep_at = e.to_sweep, p.log_start_offset, NULL)) AS log_start,
        max(if(p.sweep_at = e.to_sweep, p.log_end_offset, NULL)) AS log_end,
        max(p.sweep_at = e.to_sweep AND p.replicas_count > 0) AS leads,
        max(e.empty_at) AS empty_at
    FROM raw_partitions AS p
    INNER JOIN moments AS e
        ON p.cluster = e.cluster AND p.broker = e.broker AND p.sweep_at IN (e.from_sweep, e.to_sweep)
    WHERE p.log_start_offset >= 0 AND p.log_end_offset >= 0
    GROUP BY p.cluster, p.broker, p.topic, p.partition
),

made_anew AS (
    SELECT
        cluster,
        topic
    FROM topic_shapes
    GROUP BY cluster, topic
    HAVING count(DISTINCT topic_id) > 1
),

sized AS (
    SELECT
        *,
        coalesce(min(from_at) OVER of_broker, empty_at) AS first_at,
        max(to_at) OVER of_broker AS last_at,
        try_divide(bytes, greatest(1, log_end - log_start)) AS record_bytes,
        log_end - coalesce(from_end, log_start) AS written,
        coalesce(max(if(leads, log_end - coalesce(from_end, log_start), NULL)) OVER of_partition, written) AS arrived,
        greatest(0, coalesce(max(if(leads, log_end, NULL)) OVER of_partition, log_end) - log_end) AS behind
    FROM replicas
    WINDOW
        of_broker AS (PARTITION BY cluster, broker),
        of_partition AS (PARTITION BY cluster, topic, partition)
),

paced AS (
    SELECT
        r.*,
        (unix_micros(r.last_at) - unix_micros(r.first_at)) / 1e6D AS span_s,
        greatest(0, r.arrived) * r.record_bytes AS arrived_bytes,
        try_divide(arrived_bytes, span_s) AS pace,
        coalesce(contains(t.cleanup_policy, 'delete'), FALSE) AS expires,
        if(t.is_tiered AND t.local_retention_ms >= 0, t.local_retention_ms, t.retention_ms) / 1e3D AS kept_s,
        if(t.is_tiered AND t.local_retention_bytes >= 0, t.local_retention_bytes, t.retention_bytes) AS kept_bytes,
        -- a segment that is written to is not deleted; the last one of a log that rests is rolled when it expires
        kept_s + if(pace > 0, least(t.segment_ms / 1e3D, try_divide(t.segment_bytes, pace)), 0) AS held_s,
        -- of a tiered topic the log start is that of the remote storage, so that the size of a record is not known
        if(expires AND kept_s >= 0 AND NOT t.is_tiered, pace * held_s, NULL) AS limit_by_age,
        if(expires AND kept_bytes >= 0, try_add(kept_bytes, t.segment_bytes), NULL) AS limit_by_size,
        -- a topic without ids (before 2.8) was made anew where its log ends or begins before it did
        if(
            limit_by_age IS NOT NULL AND a.topic IS NULL AND r.from_end BETWEEN r.log_start + 1 AND r.log_end
            AND r.from_start <= r.log_start,
            span_s - held_s,
            0
        ) AS overdue_s,
        -- until a broker looks again, five minutes later if nothing else is set, as much is there as arrives meanwhile
        pace * coalesce(try_cast(k.config_value AS DOUBLE), 300e3D) / 1e3D AS between_checks,
        greatest(0, least(r.bytes, r.from_bytes) - limit_by_size - between_checks) AS over_bytes
    FROM sized AS r
    LEFT JOIN topic_days AS t ON r.cluster = t.cluster AND r.topic = t.topic
    LEFT JOIN made_anew AS a ON r.cluster = a.cluster AND r.topic = a.topic
    LEFT JOIN broker_settings AS k
        ON r.cluster = k.cluster AND r.broker = k.broker AND k.name = 'log.retention.check.interval.ms'
    WHERE r.first_at < r.last_at AND r.bytes IS NOT NULL
)

SELECT
    cluster,
    broker,
    topic,
    max(first_at) AS from_at,
    max(last_at) AS to_at,
    max(span_s) AS seconds,
    count(*) AS partition_count,
    try_sum(bytes) AS bytes,
    try_sum(bytes - coalesce(from_bytes, 0)) AS grown_bytes,
    try_sum(try_cast(arrived_bytes AS BIGINT)) AS arrived_bytes,
    try_sum(try_cast(greatest(0, written - arrived) * record_bytes AS BIGINT)) AS moved_bytes,
    try_sum(try_cast(behind * record_bytes AS BIGINT)) AS behind_bytes,
    count_if(coalesce(limit_by_age, limit_by_size) IS NULL) AS unlimited_partitions,
    coalesce(try_sum(try_cast(greatest(0, least(limit_by_age, limit_by_size) - bytes) AS BIGINT)), 0)
        AS to_come_bytes,
    max(overdue_s) AS overdue_s,
    coalesce(try_sum(try_cast((from_end - log_start) * record_bytes AS BIGINT)) FILTER (WHERE overdue_s > 0), 0)
        AS overdue_bytes,
    coalesce(try_sum(try_cast(over_bytes AS BIGINT)), 0) AS over_bytes
FROM paced
GROUP BY cluster, broker, topic
