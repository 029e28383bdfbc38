-- What each topic was at the last sweep of the day that listed topics: its copies, and the settings in force.
WITH shapes AS (
    SELECT
        t.cluster,
        t.topic,
        max(a.topics_sweep) AS sweep_at,
        coalesce(max(t.internal), FALSE) AS internal,
        count(*) AS partition_count,
        min(size(t.replicas)) AS fewest_replicas
    FROM raw_topics AS t
    INNER JOIN cluster_days AS a ON t.cluster = a.cluster AND a.topics_sweep BETWEEN t.sweep_at AND t.last_sweep_at
    GROUP BY t.cluster, t.topic
),

-- DescribeConfigs of a topic gives the value in force: its own, else the broker's, else the default
settings AS (
    SELECT
        c.cluster,
        c.topic,
        max(CASE WHEN c.name = 'min.insync.replicas' THEN c.value END) AS min_isr,
        max(CASE WHEN c.name = 'unclean.leader.election.enable' THEN c.value END) AS unclean,
        max(CASE WHEN c.name = 'cleanup.policy' THEN c.value END) AS cleanup_policy,
        max(CASE WHEN c.name = 'retention.ms' THEN c.value END) AS retention_ms,
        max(CASE WHEN c.name = 'retention.bytes' THEN c.value END) AS retention_bytes,
        max(CASE WHEN c.name = 'segment.ms' THEN c.value END) AS segment_ms,
        max(CASE WHEN c.name = 'segment.bytes' THEN c.value END) AS segment_bytes,
        max(CASE WHEN c.name = 'min.cleanable.dirty.ratio' THEN c.value END) AS cleanable_ratio,
        max(CASE WHEN c.name = 'remote.storage.enable' THEN c.value END) AS is_tiered,
        max(CASE WHEN c.name = 'local.retention.ms' THEN c.value END) AS local_retention_ms,
        max(CASE WHEN c.name = 'local.retention.bytes' THEN c.value END) AS local_retention_bytes
    FROM raw_topic_configs AS c
    INNER JOIN cluster_days AS a ON c.cluster = a.cluster AND a.configs_sweep BETWEEN c.sweep_at AND c.last_sweep_at
    WHERE
        c.name IN (
            'min.insync.replicas', 'unclean.leader.election.enable', 'cleanup.policy', 'retention.ms',
            'retention.bytes', 'segment.ms', 'segment.bytes', 'min.cleanable.dirty.ratio', 'remote.storage.enable',
            'local.retention.ms', 'local.retention.bytes'
        )
    GROUP BY c.cluster, c.topic
),

-- where a topic was not described, its brokers' own setting holds, if they all have the same
alike AS (
    SELECT
        cluster,
        name,
        max(config_value) AS config_value
    FROM broker_settings
    WHERE name IN ('min.insync.replicas', 'unclean.leader.election.enable') AND NOT redacted
    GROUP BY cluster, name
    HAVING count(DISTINCT config_value) = 1
)

SELECT
    t.cluster,
    t.topic,
    t.sweep_at,
    t.internal,
    t.partition_count,
    t.fewest_replicas,
    s.cleanup_policy,
    try_cast(coalesce(s.min_isr, m.config_value) AS INT) AS min_insync_replicas,
    try_cast(coalesce(s.unclean, u.config_value) AS BOOLEAN) AS unclean_election,
    try_cast(s.retention_ms AS BIGINT) AS retention_ms,
    try_cast(s.retention_bytes AS BIGINT) AS retention_bytes,
    try_cast(s.segment_ms AS BIGINT) AS segment_ms,
    try_cast(s.segment_bytes AS BIGINT) AS segment_bytes,
    try_cast(s.cleanable_ratio AS DOUBLE) AS min_cleanable_ratio,
    coalesce(try_cast(s.is_tiered AS BOOLEAN), FALSE) AS is_tiered,
    try_cast(s.local_retention_ms AS BIGINT) AS local_retention_ms,
    try_cast(s.local_retention_bytes AS BIGINT) AS local_retention_bytes
FROM shapes AS t
LEFT JOIN settings AS s ON t.cluster = s.cluster AND t.topic = s.topic
-- the brokers set the internal topics apart, so their general setting says nothing of those
LEFT JOIN alike AS m ON t.cluster = m.cluster AND m.name = 'min.insync.replicas' AND NOT t.internal
LEFT JOIN alike AS u ON t.cluster = u.cluster AND u.name = 'unclean.leader.election.enable' AND NOT t.internal
